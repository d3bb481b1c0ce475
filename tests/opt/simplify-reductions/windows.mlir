// stage: opt(simplify-reductions)
// The first window sees everything there is; the others do not, or move.
func.func @main(%x: tensor<1x4x6x3xf32>) -> (tensor<1x1x1x3xf32>, tensor<1x2x1x3xf32>, tensor<1x1x1x3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 4, 6, 1>, window_strides = array<i64: 1, 4, 6, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x4x6x3xf32>, tensor<f32>) -> tensor<1x1x1x3xf32>
  %b = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 2, 6, 1>, window_strides = array<i64: 1, 2, 6, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x4x6x3xf32>, tensor<f32>) -> tensor<1x2x1x3xf32>
  %c = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 4, 6, 1>, window_strides = array<i64: 1, 4, 6, 1>, padding = dense<[[0, 0], [1, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x4x6x3xf32>, tensor<f32>) -> tensor<1x1x1x3xf32>
  return %a, %b, %c : tensor<1x1x1x3xf32>, tensor<1x2x1x3xf32>, tensor<1x1x1x3xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<1x4x6x3xf32>) -> (tensor<1x1x1x3xf32>, tensor<1x2x1x3xf32>, tensor<1x1x1x3xf32>) {
//     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//     %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<1x4x6x3xf32>, tensor<f32>) -> tensor<1x3xf32>
//     %1 = stablehlo.reshape %0 : (tensor<1x3xf32>) -> tensor<1x1x1x3xf32>
//     %b = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 2, 6, 1>, window_strides = array<i64: 1, 2, 6, 1>}> ({
//     ^bb0(%p: tensor<f32>, %q: tensor<f32>):
//       %s = stablehlo.add %p, %q : tensor<f32>
//       stablehlo.return %s : tensor<f32>
//     }) : (tensor<1x4x6x3xf32>, tensor<f32>) -> tensor<1x2x1x3xf32>
//     %c = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[0, 0], [1, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 4, 6, 1>, window_strides = array<i64: 1, 4, 6, 1>}> ({
//     ^bb0(%p: tensor<f32>, %q: tensor<f32>):
//       %s = stablehlo.add %p, %q : tensor<f32>
//       stablehlo.return %s : tensor<f32>
//     }) : (tensor<1x4x6x3xf32>, tensor<f32>) -> tensor<1x1x1x3xf32>
//     return %1, %b, %c : tensor<1x1x1x3xf32>, tensor<1x2x1x3xf32>, tensor<1x1x1x3xf32>
//   }
// }
