// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[-2.0, -4.0, 2.0, 3.0, 0.0], [-3.0, -3.0, -1.0, 2.0, -2.0]], [[-4.0, 2.0, 2.0, -3.0, 1.0], [-1.0, 0.0, -4.0, 1.0, -2.0]], [[0.0, -1.0, 1.0, -4.0, -1.0], [1.0, 2.0, -1.0, -4.0, 2.0]], [[0.0, 1.0, -3.0, -1.0, 3.0], [3.0, -2.0, 1.0, -4.0, 3.0]], [[-2.0, -1.0, 4.0, 0.0, 3.0], [-3.0, 2.0, 4.0, -4.0, -2.0]], [[-3.0, -2.0, -2.0, -4.0, 4.0], [-2.0, 4.0, 2.0, -3.0, 2.0]]]> : tensor<6x2x5xf64>
  %a1 = stablehlo.constant dense<[[2.0, -3.0, -3.0, -1.0, -4.0], [-1.0, 0.0, 1.0, 1.0, 0.0], [-3.0, 1.0, 0.0, 3.0, 2.0], [2.0, 1.0, -1.0, -2.0, 0.0], [1.0, -1.0, -3.0, -4.0, -4.0], [-3.0, -1.0, -2.0, -3.0, -2.0]]> : tensor<6x5xf64>
  %r0 = "stablehlo.dot_general"(%a0, %a1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [2, 0], rhs_contracting_dimensions = [1, 0]>}> : (tensor<6x2x5xf64>, tensor<6x5xf64>) -> (tensor<2xf64>)
  %w0 = stablehlo.constant dense<[-13.0, 22.0]> : tensor<2xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 0.000000e+00 : f64} : (tensor<2xf64>, tensor<2xf64>) -> ()
  return
}
