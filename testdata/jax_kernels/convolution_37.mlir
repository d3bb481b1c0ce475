// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[0.0, 2.0, 0.0], [-2.0, 3.0, -2.0]]]> : tensor<1x2x3xf64>
  %a1 = stablehlo.constant dense<[[[-3.0], [-3.0], [2.0], [0.0], [-3.0], [3.0], [-3.0], [2.0], [-1.0], [-2.0], [0.0], [3.0]]]> : tensor<1x12x1xf64>
  %r0 = "stablehlo.convolution"(%a0, %a1) <{window_strides = array<i64: 2>, padding = dense<[[1, -1]]> : tensor<1x2xi64>, lhs_dilation = array<i64: 3>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: true>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, o, i]->[0, f, b]>, feature_group_count = 3 : i64, batch_group_count = 1 : i64}> : (tensor<1x2x3xf64>, tensor<1x12x1xf64>) -> (tensor<2x12x1xf64>)
  %w0 = stablehlo.constant dense<0.0> : tensor<2x12x1xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 0.000000e+00 : f64} : (tensor<2x12x1xf64>, tensor<2x12x1xf64>) -> ()
  return
}
