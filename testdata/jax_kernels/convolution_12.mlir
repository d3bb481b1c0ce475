// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[[2.0, 3.0, -2.0], [-2.0, -2.0, -2.0]], [[-3.0, 3.0, 3.0], [-2.0, -2.0, 3.0]], [[2.0, -2.0, 0.0], [2.0, -3.0, 2.0]]], [[[-2.0, -3.0, -2.0], [0.0, 2.0, 0.0]], [[-1.0, -1.0, -3.0], [2.0, 3.0, 1.0]], [[0.0, -3.0, -3.0], [0.0, 3.0, 3.0]]]]> : tensor<2x3x2x3xf64>
  %a1 = stablehlo.constant dense<[[[[1.0, 3.0, 0.0, 2.0, -2.0, 2.0]]], [[[1.0, 3.0, -3.0, 3.0, 3.0, 3.0]]], [[[2.0, 3.0, 1.0, -3.0, 2.0, -3.0]]]]> : tensor<3x1x1x6xf64>
  %r0 = "stablehlo.convolution"(%a0, %a1) <{window_strides = array<i64: 3, 1>, padding = dense<[[-1, 1], [1, 0]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 3 : i64, batch_group_count = 1 : i64}> : (tensor<2x3x2x3xf64>, tensor<3x1x1x6xf64>) -> (tensor<2x1x3x6xf64>)
  %w0 = stablehlo.constant dense<[[[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [-3.0, -9.0, -9.0, 9.0, 9.0, 9.0], [-2.0, -6.0, 6.0, -6.0, 9.0, 9.0]]], [[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [-1.0, -3.0, 3.0, -3.0, -9.0, -9.0], [2.0, 6.0, -9.0, 9.0, 3.0, 3.0]]]]> : tensor<2x1x3x6xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 0.000000e+00 : f64} : (tensor<2x1x3x6xf64>, tensor<2x1x3x6xf64>) -> ()
  return
}
