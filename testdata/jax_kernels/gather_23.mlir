// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[77.0, 84.0, 68.0, 61.0], [-33.0, 50.0, 48.0, -67.0], [-69.0, -72.0, -65.0, -27.0], [74.0, 91.0, -23.0, -74.0], [-20.0, -89.0, -57.0, -60.0]], [[-28.0, -50.0, 43.0, 18.0], [68.0, -76.0, -28.0, 52.0], [27.0, 17.0, -59.0, 20.0], [-27.0, 65.0, 50.0, -32.0], [-24.0, 90.0, -28.0, -8.0]], [[-45.0, 32.0, 21.0, 58.0], [-97.0, -25.0, -13.0, 65.0], [-53.0, -92.0, 3.0, 7.0], [77.0, 5.0, 52.0, -83.0], [-32.0, 14.0, 18.0, 97.0]], [[51.0, 38.0, 55.0, -36.0], [-2.0, 21.0, 16.0, 56.0], [8.0, 51.0, 3.0, 50.0], [47.0, 61.0, 81.0, -19.0], [-93.0, 50.0, 77.0, -2.0]], [[-60.0, -30.0, -94.0, -11.0], [-95.0, 95.0, -7.0, 46.0], [-48.0, -1.0, -3.0, 97.0], [95.0, 30.0, 59.0, 13.0], [81.0, 30.0, 73.0, -14.0]]]> : tensor<5x5x4xbf16>
  %a1 = stablehlo.constant dense<[[2, 1]]> : tensor<1x2xui32>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [1], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [1, 2], index_vector_dim = 1>, slice_sizes = array<i64: 4, 1, 2>, indices_are_sorted = false}> : (tensor<5x5x4xbf16>, tensor<1x2xui32>) -> (tensor<4x2x1xbf16>)
  %w0 = stablehlo.constant dense<[[[-72.0], [-65.0]], [[17.0], [-59.0]], [[-92.0], [3.0]], [[51.0], [3.0]]]> : tensor<4x2x1xbf16>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<4x2x1xbf16>, tensor<4x2x1xbf16>) -> ()
  return
}
