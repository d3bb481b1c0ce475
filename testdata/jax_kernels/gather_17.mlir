// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[77, -4], [63, 59], [51, 83], [31, 80]], [[8, -45], [-66, -66], [16, 30], [79, -11]], [[40, 72], [19, -10], [83, -69], [65, -25]]]> : tensor<3x4x2xi64>
  %a1 = stablehlo.constant dense<[5, 6]> : tensor<2xui32>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [2, 1], index_vector_dim = 0>, slice_sizes = array<i64: 1, 1, 1>, indices_are_sorted = false}> : (tensor<3x4x2xi64>, tensor<2xui32>) -> (tensor<1x1xi64>)
  %w0 = stablehlo.constant dense<[[80]]> : tensor<1x1xi64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<1x1xi64>, tensor<1x1xi64>) -> ()
  return
}
