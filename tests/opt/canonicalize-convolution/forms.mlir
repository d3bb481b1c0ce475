// stage: opt(canonicalize-convolution, dead-code)
// Features first: transposes around, and a constant kernel in the new order.
func.func @main(%x: tensor<1x2x5x4xf32>) -> tensor<1x1x4x3xf32> {
  %k = stablehlo.constant dense<[[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]]> : tensor<1x2x2x2xf32>
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x5x4xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x4x3xf32>
  return %y : tensor<1x1x4x3xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<1x2x5x4xf32>) -> tensor<1x1x4x3xf32> {
//     %0 = stablehlo.transpose %x, dims = [0, 2, 3, 1] : (tensor<1x2x5x4xf32>) -> tensor<1x5x4x2xf32>
//     %1 = stablehlo.constant dense<[[[[1.000000e+00], [5.000000e+00]], [[2.000000e+00], [6.000000e+00]]], [[[3.000000e+00], [7.000000e+00]], [[4.000000e+00], [8.000000e+00]]]]> : tensor<2x2x2x1xf32>
//     %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x4x2xf32>, tensor<2x2x2x1xf32>) -> tensor<1x4x3x1xf32>
//     %3 = stablehlo.transpose %2, dims = [0, 3, 1, 2] : (tensor<1x4x3x1xf32>) -> tensor<1x1x4x3xf32>
//     return %3 : tensor<1x1x4x3xf32>
//   }
// }
// -----
// stage: opt(canonicalize-convolution)
// What is in the form stays.
func.func @main(%x: tensor<1x5x4x2xf32>, %k: tensor<2x2x2x3xf32>) -> tensor<1x4x3x3xf32> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x4x2xf32>, tensor<2x2x2x3xf32>) -> tensor<1x4x3x3xf32>
  return %y : tensor<1x4x3x3xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<1x5x4x2xf32>, %k: tensor<2x2x2x3xf32>) -> tensor<1x4x3x3xf32> {
//     %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x4x2xf32>, tensor<2x2x2x3xf32>) -> tensor<1x4x3x3xf32>
//     return %y : tensor<1x4x3x3xf32>
//   }
// }
// -----
// stage: opt(canonicalize-convolution, dead-code)
// A transposed kernel in the form is done while compiling if it is constant.
func.func @main(%x: tensor<1x5x4x1xf32>) -> tensor<1x4x4x2xf32> {
  %c = stablehlo.constant dense<[[[[1.0, 2.0]]], [[[3.0, 4.0]]]]> : tensor<2x1x1x2xf32>
  %k = stablehlo.transpose %c, dims = [3, 1, 2, 0] : (tensor<2x1x1x2xf32>) -> tensor<2x1x1x2xf32>
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x4x1xf32>, tensor<2x1x1x2xf32>) -> tensor<1x4x4x2xf32>
  return %y : tensor<1x4x4x2xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<1x5x4x1xf32>) -> tensor<1x4x4x2xf32> {
//     %0 = stablehlo.constant dense<[[[[1.000000e+00, 3.000000e+00]]], [[[2.000000e+00, 4.000000e+00]]]]> : tensor<2x1x1x2xf32>
//     %y = stablehlo.convolution(%x, %0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x4x1xf32>, tensor<2x1x1x2xf32>) -> tensor<1x4x4x2xf32>
//     return %y : tensor<1x4x4x2xf32>
//   }
// }
// -----
// stage: opt(canonicalize-convolution, dead-code)
// One spatial dimension, a dilated input and a reversed window.
func.func @main(%x: tensor<2x5x3xf32>, %k: tensor<2x3x4xf32>) -> tensor<2x10x4xf32> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]], lhs_dilate = [2], reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x3xf32>, tensor<2x3x4xf32>) -> tensor<2x10x4xf32>
  return %y : tensor<2x10x4xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<2x5x3xf32>, %k: tensor<2x3x4xf32>) -> tensor<2x10x4xf32> {
//     %0 = stablehlo.reshape %x : (tensor<2x5x3xf32>) -> tensor<2x1x5x3xf32>
//     %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//     %2 = stablehlo.pad %0, %1, low = [0, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 1, 0] : (tensor<2x1x5x3xf32>, tensor<f32>) -> tensor<2x1x9x3xf32>
//     %3 = stablehlo.reshape %k : (tensor<2x3x4xf32>) -> tensor<1x2x3x4xf32>
//     %4 = stablehlo.reverse %3, dims = [1] : tensor<1x2x3x4xf32>
//     %5 = stablehlo.convolution(%2, %4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0, 0], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x1x9x3xf32>, tensor<1x2x3x4xf32>) -> tensor<2x1x10x4xf32>
//     %6 = stablehlo.reshape %5 : (tensor<2x1x10x4xf32>) -> tensor<2x10x4xf32>
//     return %6 : tensor<2x10x4xf32>
//   }
// }
// -----
// stage: opt(canonicalize-convolution, dead-code)
// Groups of the batch are groups of features.
func.func @main(%x: tensor<4x5x5x3xf32>, %k: tensor<5x5x3x6xf32>) -> tensor<2x1x1x6xf32> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x5x5x3xf32>, tensor<5x5x3x6xf32>) -> tensor<2x1x1x6xf32>
  return %y : tensor<2x1x1x6xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<4x5x5x3xf32>, %k: tensor<5x5x3x6xf32>) -> tensor<2x1x1x6xf32> {
//     %0 = stablehlo.reshape %x : (tensor<4x5x5x3xf32>) -> tensor<2x2x5x5x3xf32>
//     %1 = stablehlo.transpose %0, dims = [1, 2, 3, 0, 4] : (tensor<2x2x5x5x3xf32>) -> tensor<2x5x5x2x3xf32>
//     %2 = stablehlo.reshape %1 : (tensor<2x5x5x2x3xf32>) -> tensor<2x5x5x6xf32>
//     %3 = stablehlo.convolution(%2, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x5x5x6xf32>, tensor<5x5x3x6xf32>) -> tensor<2x1x1x6xf32>
//     return %3 : tensor<2x1x1x6xf32>
//   }
// }
// -----
// stage: opt(canonicalize-convolution, dead-code)
// The transpose of an input is part of the new order.
func.func @main(%x: tensor<1x5x4x2xf32>, %k: tensor<3x2x2x2xf32>) -> tensor<1x3x4x3xf32> {
  %t = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<1x5x4x2xf32>) -> tensor<1x2x5x4xf32>
  %y = stablehlo.convolution(%t, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x5x4xf32>, tensor<3x2x2x2xf32>) -> tensor<1x3x4x3xf32>
  return %y : tensor<1x3x4x3xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<1x5x4x2xf32>, %k: tensor<3x2x2x2xf32>) -> tensor<1x3x4x3xf32> {
//     %0 = stablehlo.transpose %k, dims = [2, 3, 1, 0] : (tensor<3x2x2x2xf32>) -> tensor<2x2x2x3xf32>
//     %1 = stablehlo.convolution(%x, %0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x4x2xf32>, tensor<2x2x2x3xf32>) -> tensor<1x4x3x3xf32>
//     %2 = stablehlo.transpose %1, dims = [0, 3, 1, 2] : (tensor<1x4x3x3xf32>) -> tensor<1x3x4x3xf32>
//     return %2 : tensor<1x3x4x3xf32>
//   }
// }
// -----
// stage: opt(canonicalize-convolution)
// Three spatial dimensions and unknown extents stay.
func.func @main(%x: tensor<1x2x5x5x5xf32>, %k: tensor<3x2x2x2x2xf32>, %y: tensor<?x2x5x5xf32>, %l: tensor<3x2x2x2xf32>) -> (tensor<1x3x4x4x4xf32>, tensor<?x3x4x4xf32>) {
  %a = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1, 2]x[o, i, 0, 1, 2]->[b, f, 0, 1, 2], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x5x5x5xf32>, tensor<3x2x2x2x2xf32>) -> tensor<1x3x4x4x4xf32>
  %b = stablehlo.convolution(%y, %l) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x2x5x5xf32>, tensor<3x2x2x2xf32>) -> tensor<?x3x4x4xf32>
  return %a, %b : tensor<1x3x4x4x4xf32>, tensor<?x3x4x4xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<1x2x5x5x5xf32>, %k: tensor<3x2x2x2x2xf32>, %y: tensor<?x2x5x5xf32>, %l: tensor<3x2x2x2xf32>) -> (tensor<1x3x4x4x4xf32>, tensor<?x3x4x4xf32>) {
//     %a = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1, 2]x[o, i, 0, 1, 2]->[b, f, 0, 1, 2], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x5x5x5xf32>, tensor<3x2x2x2x2xf32>) -> tensor<1x3x4x4x4xf32>
//     %b = stablehlo.convolution(%y, %l) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x2x5x5xf32>, tensor<3x2x2x2xf32>) -> tensor<?x3x4x4xf32>
//     return %a, %b : tensor<1x3x4x4x4xf32>, tensor<?x3x4x4xf32>
//   }
// }
// -----
// stage: opt(canonicalize-convolution, dead-code)
// A weight that is infinite must not meet zeros between the elements of a dilated input.
func.func @main(%x: tensor<1x2x2x1xf32>) -> tensor<1x3x3x1xf32> {
  %k = stablehlo.constant dense<0x7F800000> : tensor<1x1x1x1xf32>
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x2x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x3x3x1xf32>
  return %y : tensor<1x3x3x1xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<1x2x2x1xf32>) -> tensor<1x3x3x1xf32> {
//     %k = stablehlo.constant dense<0x7F800000> : tensor<1x1x1x1xf32>
//     %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x2x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x3x3x1xf32>
//     return %y : tensor<1x3x3x1xf32>
//   }
// }
