// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[[2.0, 1.0], [-2.0, -2.0]], [[-1.0, 3.0], [1.0, 1.0]]]]> : tensor<1x2x2x2xbf16>
  %a1 = stablehlo.constant dense<[[[[2.0]], [[-2.0]]], [[[3.0]], [[-2.0]]]]> : tensor<2x2x1x1xbf16>
  %r0 = "stablehlo.convolution"(%a0, %a1) <{window_strides = array<i64: 3, 1>, padding = dense<[[-1, -1], [1, -1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 3, 2>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, f, 1]x[o, 1, i, 0]->[b, 0, f, 1]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64}> : (tensor<1x2x2x2xbf16>, tensor<2x2x1x1xbf16>) -> (tensor<1x1x2x2xbf16>)
  %w0 = stablehlo.constant dense<0.0> : tensor<1x1x2x2xbf16>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 0.000000e+00 : f64} : (tensor<1x1x2x2xbf16>, tensor<1x1x2x2xbf16>) -> ()
  return
}
