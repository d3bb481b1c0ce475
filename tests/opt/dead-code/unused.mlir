// stage: opt(dead-code)
// What nobody needs goes, uses before what they use; a call of a function without effects is no
// effect, and then the function goes too.
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %sine = stablehlo.sine %arg0 : tensor<f32>
  %unused = stablehlo.add %sine, %arg0 : tensor<f32>
  %called = call @helper(%sine) : (tensor<f32>) -> tensor<f32>
  %kept = stablehlo.cosine %arg0 : tensor<f32>
  return %kept : tensor<f32>
}
func.func private @helper(%arg0: tensor<f32>) -> tensor<f32> {
  return %arg0 : tensor<f32>
}
// ==>
// module {
//   func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
//     %kept = stablehlo.cosine %arg0 : tensor<f32>
//     return %kept : tensor<f32>
//   }
// }
// -----
// stage: opt(dead-code)
// Effects stay, and what they use.
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %sine = stablehlo.sine %arg0 : tensor<f32>
  %0 = stablehlo.custom_call @print(%sine) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  %cosine = stablehlo.cosine %arg0 : tensor<f32>
  %1 = stablehlo.custom_call @pure(%cosine) : (tensor<f32>) -> tensor<f32>
  %2 = call @effect(%arg0) : (tensor<f32>) -> tensor<f32>
  return %arg0 : tensor<f32>
}
func.func private @effect(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @print(%arg0) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  return %arg0 : tensor<f32>
}
// ==>
// module {
//   func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
//     %sine = stablehlo.sine %arg0 : tensor<f32>
//     %0 = stablehlo.custom_call @print(%sine) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
//     %1 = call @effect(%arg0) : (tensor<f32>) -> tensor<f32>
//     return %arg0 : tensor<f32>
//   }
//   func.func private @effect(%arg0: tensor<f32>) -> tensor<f32> {
//     %0 = stablehlo.custom_call @print(%arg0) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
//     return %arg0 : tensor<f32>
//   }
// }
