// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[true, false, false, true], [false, true, false, true], [true, true, true, true]], [[false, true, false, false], [false, true, false, true], [true, false, false, true]]]> : tensor<2x3x4xi1>
  %a1 = stablehlo.constant dense<[[[4, 6], [3, 7]], [[1, 0], [5, -3]]]> : tensor<2x2x2xi32>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 3], collapsed_slice_dims = [], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1, 2], index_vector_dim = 0>, slice_sizes = array<i64: 1, 3, 1>, indices_are_sorted = false}> : (tensor<2x3x4xi1>, tensor<2x2x2xi32>) -> (tensor<3x2x2x1xi1>)
  %w0 = stablehlo.constant dense<[[[[false], [false]], [[true], [false]]], [[[true], [false]], [[true], [false]]], [[[true], [true]], [[true], [true]]]]> : tensor<3x2x2x1xi1>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3x2x2x1xi1>, tensor<3x2x2x1xi1>) -> ()
  return
}
