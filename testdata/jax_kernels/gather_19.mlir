// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[55.0, -97.0, -13.0, 38.0, 2.0], [-90.0, -15.0, 72.0, -82.0, 23.0], [2.0, 67.0, -91.0, 61.0, -69.0]]> : tensor<3x5xbf16>
  %a1 = stablehlo.constant dense<[[5, 5, 1, 2, 2]]> : tensor<1x5xui8>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [1], start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 1>, indices_are_sorted = false}> : (tensor<3x5xbf16>, tensor<1x5xui8>) -> (tensor<5xbf16>)
  %w0 = stablehlo.constant dense<[2.0, 67.0, 72.0, 61.0, -69.0]> : tensor<5xbf16>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<5xbf16>, tensor<5xbf16>) -> ()
  return
}
