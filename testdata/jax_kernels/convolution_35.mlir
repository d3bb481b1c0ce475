// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[-2, -2, 1, -1, -1], [-2, 2, 1, -1, -1], [-2, 0, -1, 3, 0]], [[2, -2, 3, -3, -1], [-1, 3, -3, 2, 2], [1, -1, -2, 1, 2]]]> : tensor<2x3x5xi32>
  %a1 = stablehlo.constant dense<[[[3], [-3]], [[0], [-2]], [[3], [0]], [[0], [2]], [[-3], [-3]], [[0], [-1]]]> : tensor<6x2x1xi32>
  %r0 = "stablehlo.convolution"(%a0, %a1) <{window_strides = array<i64: 3>, padding = dense<[[-1, 1]]> : tensor<1x2xi64>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, 0, i]->[0, b, f]>, feature_group_count = 3 : i64, batch_group_count = 1 : i64}> : (tensor<2x3x5xi32>, tensor<6x2x1xi32>) -> (tensor<2x2x6xi32>)
  %w0 = stablehlo.constant dense<[[[-9, -2, 6, 2, 3, 1], [-15, -6, 9, -6, 9, 2]], [[-3, 0, -3, 0, 0, 0], [-3, 0, 6, 0, -6, 0]]]> : tensor<2x2x6xi32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2x2x6xi32>, tensor<2x2x6xi32>) -> ()
  return
}
