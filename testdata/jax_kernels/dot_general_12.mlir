// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[0.0, -2.0, 3.0, -3.0, 4.0, 0.0], [1.0, 1.0, 0.0, 1.0, -1.0, 2.0], [0.0, -1.0, -4.0, -4.0, 0.0, -3.0]]> : tensor<3x6xf32>
  %a1 = stablehlo.constant dense<[[[0.0, -2.0, -4.0, 0.0, 3.0], [-1.0, -3.0, 1.0, 0.0, -2.0], [0.0, 0.0, -1.0, -4.0, 3.0]], [[2.0, -1.0, 3.0, 0.0, 3.0], [-1.0, 3.0, 0.0, -3.0, -2.0], [4.0, 0.0, 0.0, 4.0, -3.0]], [[-1.0, -4.0, -3.0, -4.0, 2.0], [1.0, 3.0, 1.0, 1.0, 3.0], [-1.0, 1.0, 4.0, 0.0, 3.0]], [[-3.0, 3.0, 2.0, 2.0, -4.0], [0.0, 1.0, -3.0, -3.0, 3.0], [-3.0, -2.0, 4.0, -3.0, 4.0]], [[0.0, 2.0, -1.0, -2.0, -4.0], [0.0, -2.0, -1.0, 4.0, -3.0], [-3.0, -2.0, -3.0, -4.0, 0.0]], [[4.0, 4.0, -2.0, -4.0, -1.0], [-4.0, -2.0, -3.0, 1.0, -3.0], [1.0, 1.0, 2.0, -1.0, -4.0]]]> : tensor<6x3x5xf32>
  %r0 = "stablehlo.dot_general"(%a0, %a1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<3x6xf32>, tensor<6x3x5xf32>) -> (tensor<3x5xf32>)
  %w0 = stablehlo.constant dense<[[2.0, -11.0, -25.0, -26.0, -4.0], [-10.0, -1.0, -7.0, -8.0, -4.0], [9.0, 1.0, -38.0, 11.0, -13.0]]> : tensor<3x5xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 0.000000e+00 : f64} : (tensor<3x5xf32>, tensor<3x5xf32>) -> ()
  return
}
