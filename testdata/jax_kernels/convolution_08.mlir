// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[0, -2]], [[0, -2]], [[-1, 0]], [[0, -2]]]> : tensor<4x1x2xi32>
  %a1 = stablehlo.constant dense<[[[3]]]> : tensor<1x1x1xi32>
  %r0 = "stablehlo.convolution"(%a0, %a1) <{window_strides = array<i64: 1>, padding = dense<[[1, 2]]> : tensor<1x2xi64>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>, dimension_numbers = #stablehlo.conv<[0, f, b]x[o, i, 0]->[f, 0, b]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<4x1x2xi32>, tensor<1x1x1xi32>) -> (tensor<1x7x2xi32>)
  %w0 = stablehlo.constant dense<[[[0, 0], [0, -6], [0, -6], [-3, 0], [0, -6], [0, 0], [0, 0]]]> : tensor<1x7x2xi32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<1x7x2xi32>, tensor<1x7x2xi32>) -> ()
  return
}
