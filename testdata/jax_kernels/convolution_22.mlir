// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[[-1.0, 0.0, 3.0, -1.0, 0.0]], [[0.0, -1.0, -3.0, -3.0, -2.0]]]]> : tensor<1x2x1x5xf32>
  %a1 = stablehlo.constant dense<[[[[-1.0], [-3.0], [1.0], [1.0], [-1.0]], [[0.0], [2.0], [3.0], [-3.0], [1.0]]], [[[0.0], [-2.0], [-3.0], [-3.0], [2.0]], [[1.0], [2.0], [2.0], [1.0], [-3.0]]]]> : tensor<2x2x5x1xf32>
  %r0 = "stablehlo.convolution"(%a0, %a1) <{window_strides = array<i64: 3, 3>, padding = dense<[[2, 2], [0, 1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[0, b, f, 1]x[0, 1, o, i]->[0, 1, b, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x2x1x5xf32>, tensor<2x2x5x1xf32>) -> (tensor<2x2x2x5xf32>)
  %w0 = stablehlo.constant dense<0.0> : tensor<2x2x2x5xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 0.000000e+00 : f64} : (tensor<2x2x2x5xf32>, tensor<2x2x2x5xf32>) -> ()
  return
}
