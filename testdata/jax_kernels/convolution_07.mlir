// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[[-1.0, -1.0], [2.0, 2.0]], [[-2.0, -3.0], [2.0, 0.0]], [[-3.0, 1.0], [2.0, -3.0]]], [[[2.0, 1.0], [0.0, -2.0]], [[-2.0, -1.0], [0.0, -1.0]], [[3.0, 1.0], [1.0, -3.0]]], [[[-2.0, -2.0], [3.0, 2.0]], [[-1.0, 2.0], [1.0, 0.0]], [[2.0, -2.0], [0.0, 1.0]]], [[[3.0, 0.0], [3.0, -1.0]], [[2.0, 3.0], [2.0, -2.0]], [[0.0, 2.0], [2.0, 1.0]]], [[[-3.0, 1.0], [-3.0, 1.0]], [[2.0, 2.0], [2.0, 3.0]], [[0.0, 3.0], [3.0, -2.0]]]]> : tensor<5x3x2x2xf32>
  %a1 = stablehlo.constant dense<[[[[3.0, -2.0], [2.0, 3.0]], [[2.0, -2.0], [-2.0, -2.0]]], [[[-2.0, 2.0], [2.0, 3.0]], [[0.0, 2.0], [1.0, 0.0]]], [[[1.0, -1.0], [-2.0, 3.0]], [[-3.0, 2.0], [-3.0, 1.0]]], [[[-2.0, -3.0], [2.0, -2.0]], [[-3.0, -3.0], [-2.0, 3.0]]], [[[-2.0, -2.0], [0.0, -2.0]], [[2.0, 1.0], [0.0, -2.0]]], [[[-2.0, 0.0], [3.0, 3.0]], [[1.0, 3.0], [3.0, -2.0]]], [[[1.0, 3.0], [3.0, -1.0]], [[2.0, 0.0], [-1.0, -1.0]]], [[[2.0, 3.0], [1.0, -1.0]], [[-1.0, 2.0], [2.0, 1.0]]], [[[3.0, 1.0], [0.0, -3.0]], [[1.0, 0.0], [-2.0, 3.0]]]]> : tensor<9x2x2x2xf32>
  %r0 = "stablehlo.convolution"(%a0, %a1) <{window_strides = array<i64: 3, 3>, padding = dense<[[-1, 1], [0, -1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 3>, rhs_dilation = array<i64: 2, 1>, window_reversal = array<i1: true, true>, dimension_numbers = #stablehlo.conv<[1, 0, b, f]x[o, i, 1, 0]->[b, 1, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<5x3x2x2xf32>, tensor<9x2x2x2xf32>) -> (tensor<2x4x1x9xf32>)
  %w0 = stablehlo.constant dense<0.0> : tensor<2x4x1x9xf32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2x4x1x9xf32>, tensor<2x4x1x9xf32>) -> ()
  return
}
