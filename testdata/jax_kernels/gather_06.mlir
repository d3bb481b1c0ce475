// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[-97, -91, 95, -97], [-72, -51, -43, 73], [-35, -68, -21, 38], [-11, -50, -77, -87]], [[-2, -62, 17, 36], [-24, 0, -89, 10], [-64, -9, -78, -45], [-17, -2, -95, 85]], [[-16, -60, -61, 47], [-13, -50, -10, -62], [-68, -35, 93, -82], [9, 88, -8, -27]]]> : tensor<3x4x4xi8>
  %a1 = stablehlo.constant dense<[[4, 5, 6, 7], [0, 2, 7, 3]]> : tensor<2x4xui32>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [2], operand_batching_dims = [1], start_indices_batching_dims = [1], start_index_map = [0, 2], index_vector_dim = 0>, slice_sizes = array<i64: 3, 1, 1>, indices_are_sorted = false}> : (tensor<3x4x4xi8>, tensor<2x4xui32>) -> (tensor<3x4xi8>)
  %w0 = stablehlo.constant dense<[[-97, -43, 38, -87], [-2, -89, -45, 85], [-16, -10, -82, -27]]> : tensor<3x4xi8>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3x4xi8>, tensor<3x4xi8>) -> ()
  return
}
