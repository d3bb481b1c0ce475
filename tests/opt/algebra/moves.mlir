// stage: opt(algebra, dead-code)
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<6xf32>, tensor<3x1x2xf32>) {
  %a = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %b = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %c = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<1x6xf32>
  %d = stablehlo.reshape %c : (tensor<1x6xf32>) -> tensor<6xf32>
  %e = stablehlo.reshape %a : (tensor<3x2xf32>) -> tensor<1x3x2xf32>
  %f = stablehlo.transpose %e, dims = [1, 0, 2] : (tensor<1x3x2xf32>) -> tensor<3x1x2xf32>
  return %b, %d, %f : tensor<2x3xf32>, tensor<6xf32>, tensor<3x1x2xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<6xf32>, tensor<3x1x2xf32>) {
//     %a = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
//     %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
//     %1 = stablehlo.reshape %a : (tensor<3x2xf32>) -> tensor<3x1x2xf32>
//     return %x, %0, %1 : tensor<2x3xf32>, tensor<6xf32>, tensor<3x1x2xf32>
//   }
// }
// -----
// stage: opt(algebra, dead-code)
func.func @main(%x: tensor<3xf32>) -> (tensor<2x5x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<3xf32>) {
  %a = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<5x3xf32>
  %b = stablehlo.broadcast_in_dim %a, dims = [1, 2] : (tensor<5x3xf32>) -> tensor<2x5x3xf32>
  %c = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
  %d = stablehlo.broadcast_in_dim %c, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
  %e = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<3xf32>) -> tensor<3xf32>
  return %b, %c, %d, %e : tensor<2x5x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<3xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<3xf32>) -> (tensor<2x5x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<3xf32>) {
//     %0 = stablehlo.broadcast_in_dim %x, dims = [2] : (tensor<3xf32>) -> tensor<2x5x3xf32>
//     %1 = stablehlo.reshape %x : (tensor<3xf32>) -> tensor<1x3xf32>
//     %2 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
//     return %0, %1, %2, %x : tensor<2x5x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<3xf32>
//   }
// }
// -----
// stage: opt(algebra, dead-code)
func.func @main(%x: tensor<2x3x1xf32>) -> (tensor<2x3x1xf32>, tensor<2x3x1xf32>) {
  %a = stablehlo.reverse %x, dims = [0, 1] : tensor<2x3x1xf32>
  %b = stablehlo.reverse %a, dims = [1] : tensor<2x3x1xf32>
  %c = stablehlo.reverse %x, dims = [2] : tensor<2x3x1xf32>
  return %b, %c : tensor<2x3x1xf32>, tensor<2x3x1xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<2x3x1xf32>) -> (tensor<2x3x1xf32>, tensor<2x3x1xf32>) {
//     %0 = stablehlo.reverse %x, dims = [0] : tensor<2x3x1xf32>
//     return %0, %x : tensor<2x3x1xf32>, tensor<2x3x1xf32>
//   }
// }
