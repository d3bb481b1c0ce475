// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[[1, 3, 3, 0, 3, 2]]], [[[-2, -2, 0, 3, 1, -1]]], [[[-3, 3, 3, -1, -1, -1]]], [[[2, 0, -3, 3, 1, 2]]]]> : tensor<4x1x1x6xi32>
  %a1 = stablehlo.constant dense<[[[[2], [-2]]], [[[1], [0]]], [[[-1], [2]]], [[[3], [3]]], [[[3], [2]]], [[[-3], [-1]]], [[[1], [3]]], [[[-1], [-1]]], [[[3], [2]]], [[[0], [2]]], [[[-2], [1]]], [[[-1], [-3]]]]> : tensor<12x1x2x1xi32>
  %r0 = "stablehlo.convolution"(%a0, %a1) <{window_strides = array<i64: 3, 2>, padding = dense<[[1, 0], [-1, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[1, 0, f, b]x[o, i, 1, 0]->[1, 0, f, b]>, feature_group_count = 1 : i64, batch_group_count = 3 : i64}> : (tensor<4x1x1x6xi32>, tensor<12x1x2x1xi32>) -> (tensor<2x1x12x2xi32>)
  %w0 = stablehlo.constant dense<0> : tensor<2x1x12x2xi32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2x1x12x2xi32>, tensor<2x1x12x2xi32>) -> ()
  return
}
