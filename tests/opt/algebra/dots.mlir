// stage: opt(algebra, dead-code)
// A dot product reads through a transpose, unless the result would show it.
func.func @main(%x: tensor<3x2xf32>, %y: tensor<4x3xf32>, %z: tensor<5x6x3xf32>) -> (tensor<2x4xf32>, tensor<2x6x5xf32>) {
  %a = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %b = stablehlo.transpose %y, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %d = stablehlo.transpose %z, dims = [1, 0, 2] : (tensor<5x6x3xf32>) -> tensor<6x5x3xf32>
  %e = stablehlo.dot_general %a, %d, contracting_dims = [1] x [2] : (tensor<2x3xf32>, tensor<6x5x3xf32>) -> tensor<2x6x5xf32>
  return %c, %e : tensor<2x4xf32>, tensor<2x6x5xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<3x2xf32>, %y: tensor<4x3xf32>, %z: tensor<5x6x3xf32>) -> (tensor<2x4xf32>, tensor<2x6x5xf32>) {
//     %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [1] : (tensor<3x2xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
//     %d = stablehlo.transpose %z, dims = [1, 0, 2] : (tensor<5x6x3xf32>) -> tensor<6x5x3xf32>
//     %1 = stablehlo.dot_general %x, %d, contracting_dims = [0] x [2] : (tensor<3x2xf32>, tensor<6x5x3xf32>) -> tensor<2x6x5xf32>
//     return %0, %1 : tensor<2x4xf32>, tensor<2x6x5xf32>
//   }
// }
