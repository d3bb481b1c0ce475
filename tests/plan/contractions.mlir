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
// ==>
// plan @main(f32[2, 5, 768], f32[768, 64], f32[64]) -> (f32[2, 5, 64]) {
//   b0: f32 30720 bytes in parameter 0
//   b1: f32 196608 bytes in parameter 1
//   b2: f32 256 bytes in parameter 2
//   b3: f32 2560 bytes in result 0
//   matmul [] 10x768x64 b0+0[768, 1] * b1+0[64, 1] -> b3+0[64, 1] then @add_maximum_0 b3+0[256, 4] b2+0[0, 4] b3+0[256, 4]
//   return b3
// } arena 0 bytes
// kernel @add_maximum_0 over columns {
//   s0: in f32 unit
//   s1: in f32 unit
//   s2: out f32 unit
//   each:
//     v0: f32 = load s0
//     v1: f32 = load s1
//     v2: f32 = add v0, v1
//     v3: f32 = const 0.0
//     v4: f32 = max v2, v3
//     store s2, v4
// }
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
// ==>
// plan @main(f32[2, 16, 4, 8], f32[2, 16, 4, 8], f32[2, 16, 4, 8]) -> (f32[2, 16, 32]) {
//   b0: f32 4096 bytes in parameter 0
//   b1: f32 4096 bytes in parameter 1
//   b2: f32 4096 bytes in parameter 2
//   b3: f32 8192 bytes in arena at 0
//   b4: f32 4096 bytes in result 0
//   matmul [2, 4] 16x8x16 b0+0[512, 8, 32, 1] * b1+0[512, 8, 1, 32] -> b3+0[1024, 256, 16, 1]
//   matmul [2, 4] 16x16x8 b3+0[1024, 256, 16, 1] * b2+0[512, 8, 32, 1] -> b4+0[512, 8, 32, 1]
//   return b4
// } arena 8192 bytes
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
// ==>
// plan @main(f32[1, 8, 8, 16], f32[3, 3, 16, 16]) -> (f32[1, 8, 8, 16]) {
//   b0: f32 4096 bytes in parameter 0
//   b1: f32 9216 bytes in parameter 1
//   b2: f32 4096 bytes in arena at 0
//   b3: f32 4096 bytes in result 0
//   conv Grouped { groups: 1 } batch 1 8x8x16 window 3x3 stride [1, 1] dilation [1, 1] pad [1, 1] -> 8x8x16 b0, b1 -> b2 then @maximum_0 b2+0[0, 64, 4] b2+0[0, 64, 4]
//   conv Grouped { groups: 1 } batch 1 8x8x16 window 3x3 stride [1, 1] dilation [1, 1] pad [1, 1] -> 8x8x16 b2, b1 -> b3 then @add_maximum_1 b3+0[0, 64, 4] b0+0[0, 64, 4] b3+0[0, 64, 4]
//   return b3
// } arena 4096 bytes
// kernel @maximum_0 over columns {
//   s0: in f32 unit
//   s1: out f32 unit
//   each:
//     v0: f32 = load s0
//     v1: f32 = const 0.0
//     v2: f32 = max v0, v1
//     store s1, v2
// }
// kernel @add_maximum_1 over columns {
//   s0: in f32 unit
//   s1: in f32 unit
//   s2: out f32 unit
//   each:
//     v0: f32 = load s0
//     v1: f32 = load s1
//     v2: f32 = add v0, v1
//     v3: f32 = const 0.0
//     v4: f32 = max v2, v3
//     store s2, v4
// }
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
// ==>
// plan @main(f32[1, 8, 8, 16], f32[3, 3, 1, 16]) -> (f32[1, 4, 4, 16]) {
//   b0: f32 4096 bytes in parameter 0
//   b1: f32 576 bytes in parameter 1
//   b2: f32 4096 bytes in arena at 0
//   b3: f32 1024 bytes in result 0
//   conv Depthwise batch 1 8x8x16 window 3x3 stride [1, 1] dilation [1, 1] pad [1, 1] -> 8x8x16 b0, b1 -> b2
//   pool Max batch 1 [8, 8] features 16 window [2, 2] stride [2, 2] pad [0, 0] -> [4, 4] b2 -> b3
//   return b3
// } arena 4096 bytes
// -----
// Zeros around an image are no copy: the convolution pads itself.
// stage: plan
func.func @main(%x: tensor<1x8x8x16xf32>, %w: tensor<3x3x16x16xf32>) -> tensor<1x4x4x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.pad %x, %zero, low = [0, 0, 0, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<1x8x8x16xf32>, tensor<f32>) -> tensor<1x9x9x16xf32>
  %a = stablehlo.convolution(%p, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x9x16xf32>, tensor<3x3x16x16xf32>) -> tensor<1x4x4x16xf32>
  return %a : tensor<1x4x4x16xf32>
}
// ==>
// plan @main(f32[1, 8, 8, 16], f32[3, 3, 16, 16]) -> (f32[1, 4, 4, 16]) {
//   b0: f32 4096 bytes in parameter 0
//   b1: f32 9216 bytes in parameter 1
//   b2: f32 1024 bytes in result 0
//   conv Grouped { groups: 1 } batch 1 8x8x16 window 3x3 stride [2, 2] dilation [1, 1] pad [0, 0] -> 4x4x16 b0, b1 -> b2
//   return b2
// } arena 0 bytes
