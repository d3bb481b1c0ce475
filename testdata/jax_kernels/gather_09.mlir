// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[-54, -73, -56, 57, 7], [-5, -30, -5, 44, 77], [90, -74, 48, 3, -26]], [[-50, -87, -32, -54, 64], [79, -20, -22, 57, -70], [-98, -59, 100, -11, 92]], [[-94, 36, -48, -61, 27], [32, 57, -62, 69, -25], [-89, -93, -83, -86, 30]]]> : tensor<3x3x5xi64>
  %a1 = stablehlo.constant dense<[0, 3, 6]> : tensor<3xi32>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 2], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [1, 2, 0], index_vector_dim = 0>, slice_sizes = array<i64: 3, 3, 5>, indices_are_sorted = false}> : (tensor<3x3x5xi64>, tensor<3xi32>) -> (tensor<3x3x5xi64>)
  %w0 = stablehlo.constant dense<[[[-54, -73, -56, 57, 7], [-5, -30, -5, 44, 77], [90, -74, 48, 3, -26]], [[-50, -87, -32, -54, 64], [79, -20, -22, 57, -70], [-98, -59, 100, -11, 92]], [[-94, 36, -48, -61, 27], [32, 57, -62, 69, -25], [-89, -93, -83, -86, 30]]]> : tensor<3x3x5xi64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3x3x5xi64>, tensor<3x3x5xi64>) -> ()
  return
}
