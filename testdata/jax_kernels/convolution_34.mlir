// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-3.0, 2.0], [2.0, 1.0]]> : tensor<2x2xf32>
  %a1 = stablehlo.constant dense<[[-2.0, 1.0, 2.0, 3.0]]> : tensor<1x4xf32>
  %r0 = "stablehlo.convolution"(%a0, %a1) <{window_strides = array<i64>, padding = dense<> : tensor<0x2xi64>, lhs_dilation = array<i64>, rhs_dilation = array<i64>, window_reversal = array<i1>, dimension_numbers = #stablehlo.conv<[f, b]x[i, o]->[f, b]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64}> : (tensor<2x2xf32>, tensor<1x4xf32>) -> (tensor<4x2xf32>)
  %w0 = stablehlo.constant dense<[[6.0, -4.0], [-3.0, 2.0], [4.0, 2.0], [6.0, 3.0]]> : tensor<4x2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 0.000000e+00 : f64} : (tensor<4x2xf32>, tensor<4x2xf32>) -> ()
  return
}
