// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[[(-4.0, -3.0), (-1.0, -2.0)], [(1.0, -4.0), (-2.0, 0.0)]]]]> : tensor<1x1x2x2xcomplex<f64>>
  %a1 = stablehlo.constant dense<[[(3.0, -1.0)]]> : tensor<1x1xcomplex<f64>>
  %r0 = "stablehlo.dot_general"(%a0, %a1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<1x1x2x2xcomplex<f64>>, tensor<1x1xcomplex<f64>>) -> (tensor<1x2x2xcomplex<f64>>)
  %w0 = stablehlo.constant dense<[[[(-15.0, -5.0), (-5.0, -5.0)], [(-1.0, -13.0), (-6.0, 2.0)]]]> : tensor<1x2x2xcomplex<f64>>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 0.000000e+00 : f64} : (tensor<1x2x2xcomplex<f64>>, tensor<1x2x2xcomplex<f64>>) -> ()
  return
}
