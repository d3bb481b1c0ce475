// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[true, true, false, true], [true, false, false, true], [true, false, false, true], [false, true, true, true]]> : tensor<4x4xi1>
  %a1 = stablehlo.constant dense<[[2, 1, 1, 2]]> : tensor<1x4xi64>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 0>, slice_sizes = array<i64: 1, 1>, indices_are_sorted = false}> : (tensor<4x4xi1>, tensor<1x4xi64>) -> (tensor<4x1xi1>)
  %w0 = stablehlo.constant dense<[[false], [false], [false], [true]]> : tensor<4x1xi1>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<4x1xi1>, tensor<4x1xi1>) -> ()
  return
}
