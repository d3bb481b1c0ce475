// stage: roundtrip
func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  %c = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %c : tensor<2x3x5xf32>
}
// ==>
// module {
//   func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
//     %c = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
//     return %c : tensor<2x3x5xf32>
//   }
// }
// -----
// stage: roundtrip
func.func @main(%image: tensor<1x8x8x3xf32>, %filter: tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32> {
  %y = stablehlo.convolution(%image, %filter) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>
  return %y : tensor<1x4x4x4xf32>
}
// ==>
// module {
//   func.func @main(%image: tensor<1x8x8x3xf32>, %filter: tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32> {
//     %y = stablehlo.convolution(%image, %filter) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>
//     return %y : tensor<1x4x4x4xf32>
//   }
// }
// -----
// stage: roundtrip
func.func @main(%a: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %l = stablehlo.cholesky %a, lower = true : tensor<2x4x4xf32>
  %x = "stablehlo.triangular_solve"(%l, %a) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %x : tensor<2x4x4xf32>
}
// ==>
// module {
//   func.func @main(%a: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
//     %l = stablehlo.cholesky %a, lower = true : tensor<2x4x4xf32>
//     %x = "stablehlo.triangular_solve"(%l, %a) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
//     return %x : tensor<2x4x4xf32>
//   }
// }
// -----
// stage: roundtrip
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %f = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  %g = stablehlo.fft %f, type = IRFFT, length = [8] : (tensor<5xcomplex<f32>>) -> tensor<8xf32>
  return %g : tensor<8xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
//     %f = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
//     %g = stablehlo.fft %f, type = IRFFT, length = [8] : (tensor<5xcomplex<f32>>) -> tensor<8xf32>
//     return %g : tensor<8xf32>
//   }
// }
