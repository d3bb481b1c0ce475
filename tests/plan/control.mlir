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
