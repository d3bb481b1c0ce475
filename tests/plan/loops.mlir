// A softmax with a scale behind it is one kernel of three passes; what the second pass computed at
// a cost is read back by the third.
// stage: plan
func.func @main(%x: tensor<2x5x70xf32>, %g: tensor<70xf32>) -> tensor<2x5x70xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [2] : (tensor<2x5x70xf32>, tensor<f32>) -> tensor<2x5xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x70xf32>
  %c = stablehlo.subtract %x, %mb : tensor<2x5x70xf32>
  %e = stablehlo.exponential %c : tensor<2x5x70xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x5x70xf32>, tensor<f32>) -> tensor<2x5xf32>
  %sr = stablehlo.reshape %s : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
  %sb = stablehlo.broadcast_in_dim %sr, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x70xf32>
  %d = stablehlo.divide %e, %sb : tensor<2x5x70xf32>
  %gb = stablehlo.broadcast_in_dim %g, dims = [2] : (tensor<70xf32>) -> tensor<2x5x70xf32>
  %r = stablehlo.multiply %d, %gb : tensor<2x5x70xf32>
  return %r : tensor<2x5x70xf32>
}
// ==>
// plan @main(f32[2, 5, 70], f32[70]) -> (f32[2, 5, 70]) {
//   b0: f32 2800 bytes in parameter 0
//   b1: f32 280 bytes in parameter 1
//   b2: f32 2800 bytes in result 0
//   loop @reduce_subtract_exponential_divide_multiply_0 [] x 10 x 70 b0+0[280, 4] b2+0[280, 4] b1+0[0, 4]
//   return b2
// } arena 0 bytes
// kernel @reduce_subtract_exponential_divide_multiply_0 over columns {
//   s0: in f32 unit
//   s1: out f32 unit
//   s2: in f32 unit
//   each:
//     v0: f32 = load s0
//     v1: f32 = reduce.max v0
//   each:
//     v2: f32 = load s0
//     v3: f32 = sub v2, v1
//     v4: f32 = exp v3
//     store s1, v4
//     v6: f32 = reduce.sum v4
//   each:
//     v7: f32 = load s1
//     v8: f32 = div v7, v6
//     v9: f32 = load s2
//     v10: f32 = mul v8, v9
//     store s1, v10
// }
// -----
// A layer norm: the cheap difference is computed again rather than kept.
// stage: plan
func.func @main(%x: tensor<3x768xf32>) -> tensor<3x768xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<768.0> : tensor<3xf32>
  %eps = stablehlo.constant dense<1.0e-5> : tensor<3xf32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x768xf32>, tensor<f32>) -> tensor<3xf32>
  %mean = stablehlo.divide %s, %n : tensor<3xf32>
  %mb = stablehlo.broadcast_in_dim %mean, dims = [0] : (tensor<3xf32>) -> tensor<3x768xf32>
  %c = stablehlo.subtract %x, %mb : tensor<3x768xf32>
  %cc = stablehlo.multiply %c, %c : tensor<3x768xf32>
  %v = stablehlo.reduce(%cc init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x768xf32>, tensor<f32>) -> tensor<3xf32>
  %vm = stablehlo.divide %v, %n : tensor<3xf32>
  %ve = stablehlo.add %vm, %eps : tensor<3xf32>
  %r = stablehlo.rsqrt %ve : tensor<3xf32>
  %rb = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<3xf32>) -> tensor<3x768xf32>
  %y = stablehlo.multiply %c, %rb : tensor<3x768xf32>
  return %y : tensor<3x768xf32>
}
// ==>
// plan @main(f32[3, 768]) -> (f32[3, 768]) {
//   b0: f32 9216 bytes in parameter 0
//   b1: f32 9216 bytes in result 0
//   loop @reduce_divide_subtract_multiply_add_0 [] x 3 x 768 b0+0[3072, 4] b1+0[3072, 4]
//   return b1
// } arena 0 bytes
// kernel @reduce_divide_subtract_multiply_add_0 over columns {
//   s0: in f32 unit
//   s1: out f32 unit
//   each:
//     v0: f32 = load s0
//     v1: f32 = reduce.sum v0
//   once:
//     v2: f32 = const 768.0
//     v3: f32 = div v1, v2
//   each:
//     v4: f32 = load s0
//     v5: f32 = sub v4, v3
//     v6: f32 = mul v5, v5
//     v7: f32 = reduce.sum v6
//   once:
//     v8: f32 = const 768.0
//     v9: f32 = div v7, v8
//     v10: f32 = const 1e-5
//     v11: f32 = add v9, v10
//     v12: f32 = rsqrt v11
//   each:
//     v13: f32 = load s0
//     v14: f32 = sub v13, v3
//     v15: f32 = mul v14, v12
//     store s1, v15
// }
// -----
// A mean over height and width keeps features in lanes.
// stage: plan
func.func @main(%x: tensor<2x7x7x40xf32>) -> tensor<2x40xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<49.0> : tensor<2x40xf32>
  %a = stablehlo.abs %x : tensor<2x7x7x40xf32>
  %s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x7x7x40xf32>, tensor<f32>) -> tensor<2x40xf32>
  %r = stablehlo.divide %s, %n : tensor<2x40xf32>
  return %r : tensor<2x40xf32>
}
// ==>
// plan @main(f32[2, 7, 7, 40]) -> (f32[2, 40]) {
//   b0: f32 15680 bytes in parameter 0
//   b1: f32 320 bytes in result 0
//   loop @abs_reduce_divide_0 [2] x 49 x 40 b0+0[7840, 160, 4] b1+0[160, 0, 4]
//   return b1
// } arena 0 bytes
// kernel @abs_reduce_divide_0 over rows {
//   s0: in f32 unit
//   s1: out f32 unit
//   each:
//     v0: f32 = load s0
//     v1: f32 = abs v0
//     v2: f32 = reduce.sum v1
//   once:
//     v3: f32 = const 49.0
//     v4: f32 = div v2, v3
//     store s1, v4
// }
// -----
// Small integers and sixteen-bit floats are cut to their type after each operation.
// stage: plan
func.func @main(%x: tensor<9xi8>, %h: tensor<9xbf16>) -> (tensor<9xi8>, tensor<9xi8>) {
  %y = stablehlo.add %x, %x : tensor<9xi8>
  %g = stablehlo.multiply %h, %h : tensor<9xbf16>
  %c = stablehlo.convert %g : (tensor<9xbf16>) -> tensor<9xi8>
  return %y, %c : tensor<9xi8>, tensor<9xi8>
}
// ==>
// plan @main(i8[9], bf16[9]) -> (i8[9], i8[9]) {
//   b0: i8 9 bytes in parameter 0
//   b1: bf16 18 bytes in parameter 1
//   b2: i8 9 bytes in result 0
//   b3: i8 9 bytes in result 1
//   loop @add_0 [] x 1 x 9 b0+0[0, 1] b2+0[0, 1]
//   loop @multiply_convert_1 [] x 1 x 9 b1+0[0, 2] b3+0[0, 1]
//   return b2, b3
// } arena 0 bytes
// kernel @add_0 over columns {
//   s0: in i8 unit
//   s1: out i8 unit
//   each:
//     v0: i32 = load s0
//     v1: i32 = add v0, v0
//     v2: i32 = narrow.i8 v1
//     store s1, v2
// }
// kernel @multiply_convert_1 over columns {
//   s0: in bf16 unit
//   s1: out i8 unit
//   each:
//     v0: f32 = load s0
//     v1: f32 = mul v0, v0
//     v2: f32 = narrow.bf16 v1
//     v3: f32 = const 127.0
//     v4: f32 = min_fast v3, v2
//     v5: f32 = const -128.0
//     v6: f32 = max_fast v5, v4
//     v7: i32 = convert v6
//     v8: i32 = narrow.i8 v7
//     store s1, v8
// }
// -----
// What reads a value turned over can't be in the loop that makes it; the transpose is a copy.
// stage: plan
func.func @main(%x: tensor<20x30xf32>) -> tensor<30x20xf32> {
  %y = stablehlo.tanh %x : tensor<20x30xf32>
  %t = stablehlo.transpose %y, dims = [1, 0] : (tensor<20x30xf32>) -> tensor<30x20xf32>
  %z = stablehlo.negate %t : tensor<30x20xf32>
  return %z : tensor<30x20xf32>
}
// ==>
// plan @main(f32[20, 30]) -> (f32[30, 20]) {
//   b0: f32 2400 bytes in parameter 0
//   b1: f32 2400 bytes in arena at 0
//   b2: f32 2400 bytes in arena at 2432
//   b3: f32 2400 bytes in result 0
//   loop @tanh_0 [] x 1 x 600 b0+0[0, 4] b1+0[0, 4]
//   copy [30, 20] of 4 bytes b1 + 0 [4, 120] -> b2 + 0 [80, 4]
//   loop @negate_1 [] x 1 x 600 b2+0[0, 4] b3+0[0, 4]
//   return b3
// } arena 4864 bytes
// kernel @tanh_0 over columns {
//   s0: in f32 unit
//   s1: out f32 unit
//   each:
//     v0: f32 = load s0
//     v1: f32 = tanh v0
//     store s1, v1
// }
// kernel @negate_1 over columns {
//   s0: in f32 unit
//   s1: out f32 unit
//   each:
//     v0: f32 = load s0
//     v1: f32 = neg v0
//     store s1, v1
// }
// -----
// A reduction over dimensions that are apart has no walk in rows and columns.
// stage: plan
func.func @main(%x: tensor<4x5x6x7xf32>) -> tensor<5x7xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 2] : (tensor<4x5x6x7xf32>, tensor<f32>) -> tensor<5x7xf32>
  return %s : tensor<5x7xf32>
}
// ==>
// plan @main(f32[4, 5, 6, 7]) -> (f32[5, 7]) {
//   b0: f32 3360 bytes in parameter 0
//   b1: f32 3360 bytes in arena at 0
//   b2: f32 140 bytes in result 0
//   copy [5, 7, 4, 6] of 4 bytes b0 + 0 [168, 4, 840, 28] -> b1 + 0 [672, 96, 24, 4]
//   loop @reduce_0 [] x 35 x 24 b1+0[96, 4] b2+0[4, 0]
//   return b2
// } arena 3392 bytes
// kernel @reduce_0 over columns {
//   s0: in f32 unit
//   s1: out f32 row
//   each:
//     v0: f32 = load s0
//     v1: f32 = reduce.sum v0
//   once:
//     store s1, v1
// }
