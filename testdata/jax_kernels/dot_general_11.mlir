// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[-4.0, -4.0, -1.0, 1.0], [-1.0, -4.0, 2.0, 0.0], [2.0, 3.0, 3.0, 0.0], [2.0, -2.0, 1.0, 2.0], [4.0, -1.0, 1.0, -3.0]], [[-1.0, 4.0, -2.0, -1.0], [-4.0, -4.0, 4.0, -3.0], [2.0, -3.0, -1.0, -4.0], [3.0, 3.0, 2.0, 4.0], [0.0, -4.0, 4.0, -2.0]], [[4.0, 2.0, 0.0, -3.0], [-1.0, 3.0, -3.0, 1.0], [-4.0, 4.0, -1.0, 4.0], [-3.0, -4.0, -4.0, -2.0], [2.0, 0.0, 4.0, 1.0]]]> : tensor<3x5x4xf32>
  %a1 = stablehlo.constant dense<[2.0, 1.0, 4.0]> : tensor<3xf32>
  %r0 = "stablehlo.dot_general"(%a0, %a1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [], rhs_contracting_dimensions = []>}> : (tensor<3x5x4xf32>, tensor<3xf32>) -> (tensor<3x5x4xf32>)
  %w0 = stablehlo.constant dense<[[[-8.0, -8.0, -2.0, 2.0], [-2.0, -8.0, 4.0, 0.0], [4.0, 6.0, 6.0, 0.0], [4.0, -4.0, 2.0, 4.0], [8.0, -2.0, 2.0, -6.0]], [[-1.0, 4.0, -2.0, -1.0], [-4.0, -4.0, 4.0, -3.0], [2.0, -3.0, -1.0, -4.0], [3.0, 3.0, 2.0, 4.0], [0.0, -4.0, 4.0, -2.0]], [[16.0, 8.0, 0.0, -12.0], [-4.0, 12.0, -12.0, 4.0], [-16.0, 16.0, -4.0, 16.0], [-12.0, -16.0, -16.0, -8.0], [8.0, 0.0, 16.0, 4.0]]]> : tensor<3x5x4xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 0.000000e+00 : f64} : (tensor<3x5x4xf32>, tensor<3x5x4xf32>) -> ()
  return
}
