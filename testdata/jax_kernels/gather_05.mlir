// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[24.0, 11.0], [-24.0, -2.0], [77.0, 20.0]], [[-2.0, 46.0], [39.0, 5.0], [66.0, 13.0]]]> : tensor<2x3x2xf32>
  %a1 = stablehlo.constant dense<[[[2, 4, 3], [5, 0, 1]], [[0, 7, 4], [3, 3, 0]]]> : tensor<2x2x3xui8>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [2], start_indices_batching_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1, 1>, indices_are_sorted = false}> : (tensor<2x3x2xf32>, tensor<2x2x3xui8>) -> (tensor<2x3x2xf32>)
  %w0 = stablehlo.constant dense<[[[77.0, 66.0], [24.0, -2.0], [-24.0, 39.0]], [[20.0, 13.0], [20.0, 13.0], [11.0, 46.0]]]> : tensor<2x3x2xf32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2x3x2xf32>, tensor<2x3x2xf32>) -> ()
  return
}
