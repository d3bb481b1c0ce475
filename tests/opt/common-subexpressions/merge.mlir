// stage: opt(common-subexpressions)
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.add %arg0, %arg1 : tensor<4xf32>
  %b = stablehlo.add %arg0, %arg1 : tensor<4xf32>
  %c = stablehlo.add %arg1, %arg0 : tensor<4xf32>
  %d = stablehlo.multiply %a, %b : tensor<4xf32>
  %e = stablehlo.multiply %d, %c : tensor<4xf32>
  return %e : tensor<4xf32>
}
// ==>
// module {
//   func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
//     %a = stablehlo.add %arg0, %arg1 : tensor<4xf32>
//     %c = stablehlo.add %arg1, %arg0 : tensor<4xf32>
//     %d = stablehlo.multiply %a, %a : tensor<4xf32>
//     %e = stablehlo.multiply %d, %c : tensor<4xf32>
//     return %e : tensor<4xf32>
//   }
// }
// -----
// stage: opt(common-subexpressions)
// Regions are compared; what differs in a constant differs.
func.func @main(%x: tensor<4xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %zero_1 = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.reduce(%x init: %zero_1) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %c = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %a, %b, %c : tensor<f32>, tensor<f32>, tensor<f32>
}
// ==>
// module {
//   func.func @main(%x: tensor<4xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
//     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//     %a = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
//     %c = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
//     return %a, %a, %c : tensor<f32>, tensor<f32>, tensor<f32>
//   }
// }
// -----
// stage: opt(common-subexpressions)
// What is known around a region is known in it, and not the other way round.
func.func @main(%pred: tensor<i1>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %outer = stablehlo.sine %x : tensor<f32>
  %0 = "stablehlo.if"(%pred) ({
    %again = stablehlo.sine %x : tensor<f32>
    %inner = stablehlo.cosine %again : tensor<f32>
    stablehlo.return %inner : tensor<f32>
  }, {
    stablehlo.return %outer : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  %cosine = stablehlo.cosine %outer : tensor<f32>
  return %0, %cosine : tensor<f32>, tensor<f32>
}
// ==>
// module {
//   func.func @main(%pred: tensor<i1>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
//     %outer = stablehlo.sine %x : tensor<f32>
//     %0 = "stablehlo.if"(%pred) ({
//       %inner = stablehlo.cosine %outer : tensor<f32>
//       stablehlo.return %inner : tensor<f32>
//     }, {
//       stablehlo.return %outer : tensor<f32>
//     }) : (tensor<i1>) -> tensor<f32>
//     %cosine = stablehlo.cosine %outer : tensor<f32>
//     return %0, %cosine : tensor<f32>, tensor<f32>
//   }
// }
// -----
// stage: opt(common-subexpressions)
// Effects are not merged.
func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.custom_call @count(%x) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.custom_call @count(%x) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
// ==>
// module {
//   func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
//     %0 = stablehlo.custom_call @count(%x) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
//     %1 = stablehlo.custom_call @count(%x) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
//     return %0, %1 : tensor<f32>, tensor<f32>
//   }
// }
