// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[5.0, -68.0, 3.0, 71.0], [-77.0, 27.0, 21.0, -9.0], [-99.0, 94.0, 28.0, 64.0], [-54.0, -67.0, 92.0, 82.0]], [[26.0, 13.0, -1.0, 73.0], [-77.0, -24.0, -45.0, -23.0], [-44.0, 19.0, 87.0, 41.0], [3.0, 86.0, 2.0, 61.0]], [[-5.0, -48.0, -29.0, -53.0], [34.0, -1.0, -7.0, 12.0], [12.0, 77.0, 43.0, 28.0], [29.0, -25.0, -65.0, 42.0]], [[82.0, -33.0, -66.0, 14.0], [13.0, -65.0, 84.0, -32.0], [97.0, 79.0, -29.0, -67.0], [11.0, -16.0, 30.0, 96.0]]]> : tensor<4x4x4xf32>
  %a1 = stablehlo.constant dense<[-2, 7, 2]> : tensor<3xi64>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [2, 0, 1], index_vector_dim = 0>, slice_sizes = array<i64: 4, 1, 1>, indices_are_sorted = false}> : (tensor<4x4x4xf32>, tensor<3xi64>) -> (tensor<4x1xf32>)
  %w0 = stablehlo.constant dense<[[-99.0], [-44.0], [12.0], [97.0]]> : tensor<4x1xf32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<4x1xf32>, tensor<4x1xf32>) -> ()
  return
}
