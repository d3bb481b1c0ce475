// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[[12, -60, 24, -57, -1], [36, 50, 53, 61, 94]], [[1, 4, -69, -19, 36], [90, -31, -90, 7, 5]], [[100, -41, 30, 47, 20], [-35, 53, -75, -78, 91]]], [[[-30, 93, -3, 86, -8], [-68, 68, -36, 85, -24]], [[62, -19, 100, 5, -42], [64, -94, 100, 35, 51]], [[-30, 53, 58, -6, -29], [-41, 67, 95, 77, -21]]]]> : tensor<2x3x2x5xi8>
  %a1 = stablehlo.constant dense<[[-3, 6], [3, 7], [-2, -1]]> : tensor<3x2xi64>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1, 2, 3], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [3, 2, 0], index_vector_dim = 0>, slice_sizes = array<i64: 2, 1, 1, 1>, indices_are_sorted = false}> : (tensor<2x3x2x5xi8>, tensor<3x2xi64>) -> (tensor<2x2xi8>)
  %w0 = stablehlo.constant dense<[[36, -68], [94, -24]]> : tensor<2x2xi8>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2x2xi8>, tensor<2x2xi8>) -> ()
  return
}
