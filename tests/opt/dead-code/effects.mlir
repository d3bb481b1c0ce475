// stage: opt(dead-code)
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %unused = stablehlo.sine %x : tensor<2xf32>
  %also = stablehlo.add %unused, %x : tensor<2xf32>
  %used = stablehlo.cosine %x : tensor<2xf32>
  return %used : tensor<2xf32>
}
func.func private @uncalled(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
//     %used = stablehlo.cosine %x : tensor<2xf32>
//     return %used : tensor<2xf32>
//   }
// }
// -----
// stage: opt(dead-code)
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  stablehlo.custom_call @check.expect_eq(%x, %x) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return %x : tensor<2xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
//     stablehlo.custom_call @check.expect_eq(%x, %x) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
//     return %x : tensor<2xf32>
//   }
// }
