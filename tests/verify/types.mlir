// stage: verify
// expect-error: INVALID_ARGUMENT
func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>) -> tensor<2xf32> {
  %sum = "stablehlo.add"(%arg0, %arg1) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %sum : tensor<2xf32>
}
// ==>
// INVALID_ARGUMENT: stablehlo.add: the operands must have one shape, not those of f32[2] and f32[3] [at i0 in @main]
// -----
// stage: verify
// expect-error: INVALID_ARGUMENT
func.func @main(%arg0: tensor<2xf32>) -> tensor<4xf32> {
  return %arg0 : tensor<2xf32>
}
// ==>
// INVALID_ARGUMENT: 3:11: @main returns (tensor<2xf32>), not (tensor<4xf32>) as it says
//   func.func @main(%arg0: tensor<2xf32>) -> tensor<4xf32> {
//             ^
// -----
// stage: verify
// expect-error: INVALID_ARGUMENT
func.func @main(%arg0: tensor<2x3xf32>) -> tensor<7xf32> {
  %flat = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<7xf32>
  return %flat : tensor<7xf32>
}
// ==>
// INVALID_ARGUMENT: stablehlo.reshape: f32[2,3] has 6 elements, f32[7] has 7 [at i0 in @main]
// -----
// stage: verify
// expect-error: INVALID_ARGUMENT
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<4x5xf32>) -> tensor<2x5xf32> {
  %product = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return %product : tensor<2x5xf32>
}
// ==>
// INVALID_ARGUMENT: stablehlo.dot_general: dimension 1 of operand 0 has extent 3, dimension 0 of operand 1 has 4 [at i0 in @main]
// -----
// stage: verify
// expect-error: INVALID_ARGUMENT
func.func @main(%arg0: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %turned = stablehlo.transpose %arg0, dims = [1, 1] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %turned : tensor<3x2xf32>
}
// ==>
// INVALID_ARGUMENT: stablehlo.transpose: permutation has dimension 1 twice [at i0 in @main]
// -----
// stage: verify
// expect-error: INVALID_ARGUMENT
func.func @main(%arg0: tensor<4xf32>) -> tensor<2xf32> {
  %part = stablehlo.slice %arg0 [3:5] : (tensor<4xf32>) -> tensor<2xf32>
  return %part : tensor<2xf32>
}
// ==>
// INVALID_ARGUMENT: stablehlo.slice: limit 5 is past extent 4 in dimension 0 [at i0 in @main]
// -----
// stage: verify
// expect-error: INVALID_ARGUMENT
func.func @main(%arg0: tensor<2xi32>) -> tensor<2xi32> {
  %root = stablehlo.sqrt %arg0 : tensor<2xi32>
  return %root : tensor<2xi32>
}
// ==>
// INVALID_ARGUMENT: stablehlo.sqrt: operand 0 is i32[2], an element type it does not take [at i0 in @main]
