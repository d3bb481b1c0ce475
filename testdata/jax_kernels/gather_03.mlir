// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[-35.0, -36.0, 98.0, 17.0, -63.0], [66.0, 65.0, -98.0, -69.0, 39.0], [-19.0, -32.0, -86.0, -62.0, 72.0], [67.0, 66.0, 14.0, -72.0, -36.0]], [[5.0, 100.0, -49.0, 10.0, -2.0], [1.0, 11.0, 41.0, -79.0, 97.0], [73.0, 54.0, -44.0, -12.0, -11.0], [-38.0, -89.0, 49.0, -100.0, 53.0]], [[-61.0, 29.0, -32.0, -53.0, 86.0], [-5.0, 78.0, -62.0, -4.0, -31.0], [-9.0, -98.0, 34.0, -31.0, 72.0], [-58.0, -33.0, -91.0, 59.0, 7.0]]]> : tensor<3x4x5xbf16>
  %a1 = stablehlo.constant dense<[7, 4]> : tensor<2xui8>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1, 2], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 3, 1, 1>, indices_are_sorted = false}> : (tensor<3x4x5xbf16>, tensor<2xui8>) -> (tensor<3x2xbf16>)
  %w0 = stablehlo.constant dense<[[-35.0, -35.0], [5.0, 5.0], [-61.0, -61.0]]> : tensor<3x2xbf16>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3x2xbf16>, tensor<3x2xbf16>) -> ()
  return
}
