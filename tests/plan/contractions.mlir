// Bias and activation finish the product's blocks.
// stage: plan
func.func @main(%x: tensor<2x5x768xf32>, %w: tensor<768x64xf32>, %b: tensor<64xf32>) -> tensor<2x5x64xf32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<2x5x768xf32>, tensor<768x64xf32>) -> tensor<2x5x64xf32>
  %bb = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<64xf32>) -> tensor<2x5x64xf32>
  %s = stablehlo.add %y, %bb : tensor<2x5x64xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<2x5x64xf32>
  %r = stablehlo.maximum %s, %zero : tensor<2x5x64xf32>
  return %r : tensor<2x5x64xf32>
}
// -----
// Attention moves nothing: heads are read where they lie and the last product writes them so.
// stage: plan
func.func @main(%q: tensor<2x16x4x8xf32>, %k: tensor<2x16x4x8xf32>, %v: tensor<2x16x4x8xf32>) -> tensor<2x16x32xf32> {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x16x4x8xf32>, tensor<2x16x4x8xf32>) -> tensor<2x4x16x16xf32>
  %c = stablehlo.dot_general %s, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x4x16x16xf32>, tensor<2x16x4x8xf32>) -> tensor<2x4x16x8xf32>
  %t = stablehlo.transpose %c, dims = [0, 2, 1, 3] : (tensor<2x4x16x8xf32>) -> tensor<2x16x4x8xf32>
  %r = stablehlo.reshape %t : (tensor<2x16x4x8xf32>) -> tensor<2x16x32xf32>
  return %r : tensor<2x16x32xf32>
}
// -----
// A residual block: the second convolution is finished with the sum.
// stage: plan
func.func @main(%x: tensor<1x8x8x16xf32>, %w: tensor<3x3x16x16xf32>) -> tensor<1x8x8x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<1x8x8x16xf32>
  %a = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<1x8x8x16xf32>
  %ar = stablehlo.maximum %a, %zero : tensor<1x8x8x16xf32>
  %b = stablehlo.convolution(%ar, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<1x8x8x16xf32>
  %s = stablehlo.add %b, %x : tensor<1x8x8x16xf32>
  %r = stablehlo.maximum %s, %zero : tensor<1x8x8x16xf32>
  return %r : tensor<1x8x8x16xf32>
}
// -----
// A depthwise convolution and a pooling window.
// stage: plan
func.func @main(%x: tensor<1x8x8x16xf32>, %w: tensor<3x3x1x16xf32>) -> tensor<1x4x4x16xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %a = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 16 : i64} : (tensor<1x8x8x16xf32>, tensor<3x3x1x16xf32>) -> tensor<1x8x8x16xf32>
  %r = "stablehlo.reduce_window"(%a, %least) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %m = stablehlo.maximum %p, %q : tensor<f32>
      stablehlo.return %m : tensor<f32>
  }) : (tensor<1x8x8x16xf32>, tensor<f32>) -> tensor<1x4x4x16xf32>
  return %r : tensor<1x4x4x16xf32>
}
