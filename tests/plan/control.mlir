// A loop's values live in place; the ones that change places are saved first.
// stage: plan
func.func @main(%n: tensor<i32>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:3 = "stablehlo.while"(%zero, %a, %b) ({
    ^bb0(%i: tensor<i32>, %x: tensor<4xf32>, %y: tensor<4xf32>):
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
  }, {
    ^bb0(%i: tensor<i32>, %x: tensor<4xf32>, %y: tensor<4xf32>):
      %j = stablehlo.add %i, %one : tensor<i32>
      %s = stablehlo.add %x, %y : tensor<4xf32>
      stablehlo.return %j, %y, %s : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>)
  return %r#2 : tensor<4xf32>
}
// ==>
// plan @main(i32[], f32[4], f32[4]) -> (f32[4]) {
//   b0: i32 4 bytes in parameter 0
//   b1: f32 16 bytes in parameter 1
//   b2: f32 16 bytes in parameter 2
//   b3: i32 4 bytes in arena at 0
//   b4: i32 4 bytes in constant 0
//   b5: f32 16 bytes in arena at 64
//   b6: f32 16 bytes in arena at 128
//   b7: bool 1 bytes in arena at 192
//   b8: i32 4 bytes in arena at 192
//   b9: f32 16 bytes in arena at 256
//   b10: f32 16 bytes in arena at 320
//   b11: f32 16 bytes in result 0
//   copy [] of 4 bytes b4 + 0 [] -> b3 + 0 []
//   copy [4] of 4 bytes b1 + 0 [4] -> b5 + 0 [4]
//   copy [4] of 4 bytes b2 + 0 [4] -> b6 + 0 [4]
//   while b7
//     loop @compare_0 [] x 1 x 1 b3+0[0, 0] b0+0[0, 0] b7+0[0, 0]
//   do
//     loop @add_1 [] x 1 x 1 b3+0[0, 0] b8+0[0, 0]
//     loop @add_2 [] x 1 x 4 b5+0[0, 4] b6+0[0, 4] b9+0[0, 4]
//     copy [4] of 4 bytes b6 + 0 [4] -> b10 + 0 [4]
//     copy [1] of 4 bytes b8 + 0 [4] -> b3 + 0 [4]
//     copy [4] of 4 bytes b10 + 0 [4] -> b5 + 0 [4]
//     copy [4] of 4 bytes b9 + 0 [4] -> b6 + 0 [4]
//   copy [4] of 4 bytes b6 + 0 [4] -> b11 + 0 [4]
//   return b11
// } arena 384 bytes
// kernel @compare_0 over columns {
//   s0: in i32 row
//   s1: in i32 row
//   s2: out bool unit
//   each:
//     v0: i32 = load s0
//     v1: i32 = load s1
//     v2: pred = compare.lt v0, v1
//     store s2, v2
// }
// kernel @add_1 over columns {
//   s0: in i32 row
//   s1: out i32 unit
//   each:
//     v0: i32 = load s0
//     v1: i32 = const 1
//     v2: i32 = add v0, v1
//     store s1, v2
// }
// kernel @add_2 over columns {
//   s0: in f32 unit
//   s1: in f32 unit
//   s2: out f32 unit
//   each:
//     v0: f32 = load s0
//     v1: f32 = load s1
//     v2: f32 = add v0, v1
//     store s2, v2
// }
// -----
// Branches write the same memory; what one makes dense is not there for the other.
// stage: plan
func.func @main(%p: tensor<i1>, %x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %r = "stablehlo.if"(%p) ({
    %s = stablehlo.cosine %t : tensor<3x2xf32>
    stablehlo.return %s : tensor<3x2xf32>
  }, {
    stablehlo.return %t : tensor<3x2xf32>
  }) : (tensor<i1>) -> tensor<3x2xf32>
  return %r, %t : tensor<3x2xf32>, tensor<3x2xf32>
}
// ==>
// plan @main(bool[], f32[2, 3]) -> (f32[3, 2], f32[3, 2]) {
//   b0: bool 1 bytes in parameter 0
//   b1: f32 24 bytes in parameter 1
//   b2: f32 24 bytes in result 0
//   b3: f32 24 bytes in arena at 0
//   b4: f32 24 bytes in result 1
//   switch b0
//   case 0
//     loop @cosine_0 [] x 3 x 2 b1+0[4, 12] b3+0[8, 4]
//     copy [3, 2] of 4 bytes b3 + 0 [8, 4] -> b2 + 0 [8, 4]
//   case 1
//     copy [3, 2] of 4 bytes b1 + 0 [4, 12] -> b2 + 0 [8, 4]
//   copy [3, 2] of 4 bytes b1 + 0 [4, 12] -> b4 + 0 [8, 4]
//   return b2, b4
// } arena 64 bytes
// kernel @cosine_0 over columns {
//   s0: in f32 strided
//   s1: out f32 unit
//   each:
//     v0: f32 = load s0
//     v1: f32 = cos v0
//     store s1, v1
// }
// -----
// Pieces, padding, rows of a table; a sort is left to the interpreter.
// stage: plan
func.func @main(%t: tensor<10x4xf32>, %i: tensor<3xi32>, %x: tensor<3x2xf32>) -> (tensor<3x6xf32>, tensor<5x5xf32>, tensor<3x2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %g = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  %c = stablehlo.concatenate %g, %x, dim = 1 : (tensor<3x4xf32>, tensor<3x2xf32>) -> tensor<3x6xf32>
  %p = stablehlo.pad %x, %zero, low = [1, 0], high = [1, 2], interior = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<5x5xf32>
  %s = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %l = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %c, %p, %s : tensor<3x6xf32>, tensor<5x5xf32>, tensor<3x2xf32>
}
// ==>
// plan @main(f32[10, 4], i32[3], f32[3, 2]) -> (f32[3, 6], f32[5, 5], f32[3, 2]) {
//   b0: f32 160 bytes in parameter 0
//   b1: i32 12 bytes in parameter 1
//   b2: f32 24 bytes in parameter 2
//   b3: f32 48 bytes in arena at 0
//   b4: f32 72 bytes in result 0
//   b5: f32 100 bytes in result 1
//   b6: f32 4 bytes in constant 0
//   b7: f32 24 bytes in result 2
//   gather 3 of 10 rows of 16 bytes b0[b1] -> b3
//   copy [3, 4] of 4 bytes b3 + 0 [16, 4] -> b4 + 0 [24, 4]
//   copy [3, 2] of 4 bytes b2 + 0 [8, 4] -> b4 + 16 [24, 4]
//   copy [5, 5] of 4 bytes b6 + 0 [0, 0] -> b5 + 0 [20, 4]
//   copy [3, 2] of 4 bytes b2 + 0 [8, 4] -> b5 + 20 [20, 8]
//   reference stablehlo.sort b2 -> b7
//   return b4, b5, b7
// } arena 64 bytes
