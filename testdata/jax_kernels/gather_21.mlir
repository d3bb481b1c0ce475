// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[100, -37, -100, 9]> : tensor<4xi64>
  %a1 = stablehlo.constant dense<[[6]]> : tensor<1x1xui32>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1>, indices_are_sorted = false}> : (tensor<4xi64>, tensor<1x1xui32>) -> (tensor<1xi64>)
  %w0 = stablehlo.constant dense<[9]> : tensor<1xi64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<1xi64>, tensor<1xi64>) -> ()
  return
}
