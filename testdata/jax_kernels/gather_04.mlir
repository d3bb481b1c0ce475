// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-57, -62, 20, -72], [78, 57, -30, -20], [-27, 47, -17, -43], [36, -73, 57, -15], [89, -48, -25, 75]]> : tensor<5x4xi64>
  %a1 = stablehlo.constant dense<[[[1, 2]], [[1, 4]]]> : tensor<2x1x2xui32>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [1, 0], index_vector_dim = 0>, slice_sizes = array<i64: 4, 4>, indices_are_sorted = false}> : (tensor<5x4xi64>, tensor<2x1x2xui32>) -> (tensor<4x1x4x2xi64>)
  %w0 = stablehlo.constant dense<[[[[78, 78], [57, 57], [-30, -30], [-20, -20]]], [[[-27, -27], [47, 47], [-17, -17], [-43, -43]]], [[[36, 36], [-73, -73], [57, 57], [-15, -15]]], [[[89, 89], [-48, -48], [-25, -25], [75, 75]]]]> : tensor<4x1x4x2xi64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<4x1x4x2xi64>, tensor<4x1x4x2xi64>) -> ()
  return
}
