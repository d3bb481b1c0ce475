// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-37.0, 87.0, 75.0, -83.0], [69.0, 69.0, -9.0, -27.0], [97.0, 91.0, 36.0, -20.0], [-58.0, 88.0, -46.0, 11.0]]> : tensor<4x4xf32>
  %a1 = stablehlo.constant dense<[[[4, 2, 4, 7]]]> : tensor<1x1x4xui8>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [2], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1>, indices_are_sorted = false}> : (tensor<4x4xf32>, tensor<1x1x4xui8>) -> (tensor<1x1x4xf32>)
  %w0 = stablehlo.constant dense<[[[-58.0, 91.0, -46.0, 11.0]]]> : tensor<1x1x4xf32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> ()
  return
}
