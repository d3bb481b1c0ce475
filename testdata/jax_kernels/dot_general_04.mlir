// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[0.0, 0.0, -2.0], [2.0, -1.0, 1.0]]> : tensor<2x3xf16>
  %a1 = stablehlo.constant dense<[[0.0, 3.0], [-3.0, -3.0], [-2.0, 4.0], [-1.0, -4.0], [0.0, -2.0], [3.0, -4.0], [1.0, -4.0]]> : tensor<7x2xf16>
  %r0 = "stablehlo.dot_general"(%a0, %a1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [], rhs_contracting_dimensions = []>}> : (tensor<2x3xf16>, tensor<7x2xf16>) -> (tensor<2x3x7xf32>)
  %w0 = stablehlo.constant dense<[[[0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0], [0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0], [-0.0, 6.0, 4.0, 2.0, -0.0, -6.0, -2.0]], [[6.0, -6.0, 8.0, -8.0, -4.0, -8.0, -8.0], [-3.0, 3.0, -4.0, 4.0, 2.0, 4.0, 4.0], [3.0, -3.0, 4.0, -4.0, -2.0, -4.0, -4.0]]]> : tensor<2x3x7xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 0.000000e+00 : f64} : (tensor<2x3x7xf32>, tensor<2x3x7xf32>) -> ()
  return
}
