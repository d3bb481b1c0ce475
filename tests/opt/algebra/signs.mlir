// stage: opt(algebra, dead-code)
func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %a = stablehlo.negate %x : tensor<f32>
  %b = stablehlo.negate %a : tensor<f32>
  %c = stablehlo.add %a, %y : tensor<f32>
  %d = stablehlo.subtract %y, %a : tensor<f32>
  %e = stablehlo.floor %x : tensor<f32>
  %f = stablehlo.ceil %e : tensor<f32>
  return %b, %c, %d, %f : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
// ==>
// module {
//   func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
//     %0 = stablehlo.subtract %y, %x : tensor<f32>
//     %1 = stablehlo.add %y, %x : tensor<f32>
//     %e = stablehlo.floor %x : tensor<f32>
//     return %x, %0, %1, %e : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
//   }
// }
