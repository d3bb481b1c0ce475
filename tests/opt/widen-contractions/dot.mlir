// stage: opt(widen-contractions)
func.func @main(%x: tensor<2x3xbf16>, %y: tensor<3x4xbf16>) -> tensor<2x4xbf16> {
  %z = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xbf16>
  return %z : tensor<2x4xbf16>
}
// ==>
// module {
//   func.func @main(%x: tensor<2x3xbf16>, %y: tensor<3x4xbf16>) -> tensor<2x4xbf16> {
//     %0 = stablehlo.convert %x : (tensor<2x3xbf16>) -> tensor<2x3xf32>
//     %1 = stablehlo.convert %y : (tensor<3x4xbf16>) -> tensor<3x4xf32>
//     %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
//     %3 = stablehlo.convert %2 : (tensor<2x4xf32>) -> tensor<2x4xbf16>
//     return %3 : tensor<2x4xbf16>
//   }
// }
// -----
// stage: opt(widen-contractions)
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %z = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
//     %z = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
//     return %z : tensor<2x4xf32>
//   }
// }
