// stage: verify
// expect-error: INVALID_ARGUMENT
func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @nowhere(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ==>
// INVALID_ARGUMENT: it calls @nowhere, which is not there [at i0 in @main]
// -----
// stage: verify
// expect-error: INVALID_ARGUMENT
func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @other(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @other(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @main(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ==>
// INVALID_ARGUMENT: it calls @main again [at @other]
// -----
// stage: verify
// expect-error: INVALID_ARGUMENT
func.func @main(%arg0: tensor<2xf32>) -> tensor<3xf32> {
  %0 = call @other(%arg0) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @other(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  return %arg0 : tensor<2xf32>
}
// ==>
// INVALID_ARGUMENT: result 0 is not of the type that @other has [at i0 in @main]
// -----
// stage: verify
func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @other(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @other(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func private @other(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  return %arg0 : tensor<2xf32>
}
