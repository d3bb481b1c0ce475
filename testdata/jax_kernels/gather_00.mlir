// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[50.0, -53.0, -44.0, -13.0, -48.0], [95.0, -65.0, 80.0, 60.0, 69.0]], [[-77.0, -22.0, 26.0, -1.0, 33.0], [36.0, 33.0, -88.0, 92.0, 11.0]], [[81.0, -46.0, -28.0, 76.0, -63.0], [-88.0, -25.0, 36.0, -76.0, 74.0]], [[-32.0, -55.0, 9.0, 79.0, 77.0], [75.0, -39.0, -97.0, 56.0, 42.0]], [[54.0, -100.0, -93.0, 1.0, -33.0], [-13.0, 87.0, -60.0, 6.0, -35.0]]]> : tensor<5x2x5xbf16>
  %a1 = stablehlo.constant dense<[[-3], [-2]]> : tensor<2x1xi32>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0, 1], index_vector_dim = 0>, slice_sizes = array<i64: 1, 1, 3>, indices_are_sorted = false}> : (tensor<5x2x5xbf16>, tensor<2x1xi32>) -> (tensor<1x1x3xbf16>)
  %w0 = stablehlo.constant dense<[[[50.0, -53.0, -44.0]]]> : tensor<1x1x3xbf16>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<1x1x3xbf16>, tensor<1x1x3xbf16>) -> ()
  return
}
