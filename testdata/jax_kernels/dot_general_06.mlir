// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-3, -2, -3], [-3, 4, -1], [-3, -2, 2], [-1, -2, 1], [-1, -1, 0], [-1, 4, 2]]> : tensor<6x3xi32>
  %a1 = stablehlo.constant dense<[[[-4, 3, -3], [0, 2, -2], [-1, 4, -2], [-3, 4, -1], [-2, 4, 2], [2, 4, -4]], [[2, 1, 2], [1, 2, 2], [3, -1, -2], [0, 1, -1], [3, 2, 3], [1, 4, -1]], [[4, 2, -4], [-2, -1, 2], [0, -1, 4], [4, -1, -2], [-2, -2, -4], [1, -2, 1]], [[3, -2, -4], [1, -3, 1], [-2, 3, 0], [2, -1, -1], [3, 1, -3], [-4, 1, 3]], [[3, -4, 4], [2, 3, 4], [-3, -4, 3], [4, 2, 3], [-1, 4, -4], [-4, -3, -2]], [[2, -2, -4], [4, -2, 4], [-2, 2, 2], [1, -1, 1], [-4, -1, -1], [3, -2, -3]]]> : tensor<6x6x3xi32>
  %r0 = "stablehlo.dot_general"(%a0, %a1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<6x3xi32>, tensor<6x6x3xi32>) -> (tensor<3x6xi32>)
  %w0 = stablehlo.constant dense<[[-14, -4, 1, -10, 5, -7], [-6, 1, -4, -6, -6, 5], [-13, 17, 20, 1, -22, 12]]> : tensor<3x6xi32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3x6xi32>, tensor<3x6xi32>) -> ()
  return
}
