// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[1, -3, 2], [0, 0, -3], [1, 1, -1], [2, 0, -3]], [[-2, -2, -3], [0, -3, 0], [1, 1, 0], [-2, 3, -1]], [[2, 0, -1], [1, 3, 2], [1, -3, 2], [2, -1, -1]]]> : tensor<3x4x3xi32>
  %a1 = stablehlo.constant dense<[[[-2, 3, -2], [0, -2, 2]], [[1, -2, -3], [-3, -3, 2]], [[2, -1, -3], [-2, 0, 0]], [[0, 1, 1], [1, 0, 0]], [[3, 2, 2], [-3, 1, 3]], [[1, -2, 0], [0, 3, 0]], [[-2, -3, 1], [3, 0, -3]], [[-3, 2, -1], [0, 3, -2]], [[2, -3, -3], [-3, -1, 0]], [[-3, 1, 2], [0, -3, 2]], [[-3, 0, 3], [-1, 0, -2]], [[-1, -2, -3], [2, -1, 3]]]> : tensor<12x2x3xi32>
  %r0 = "stablehlo.convolution"(%a0, %a1) <{window_strides = array<i64: 2>, padding = dense<[[0, 1]]> : tensor<1x2xi64>, lhs_dilation = array<i64: 2>, rhs_dilation = array<i64: 2>, window_reversal = array<i1: true>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[o, 0, i]->[f, 0, b]>, feature_group_count = 1 : i64, batch_group_count = 3 : i64}> : (tensor<3x4x3xi32>, tensor<12x2x3xi32>) -> (tensor<12x3x1xi32>)
  %w0 = stablehlo.constant dense<[[[16], [-3], [-2]], [[19], [-4], [3]], [[7], [4], [11]], [[-2], [0], [-2]], [[-11], [2], [-4]], [[0], [-10], [-5]], [[12], [-5], [-3]], [[-6], [-10], [16]], [[-19], [-1], [10]], [[2], [-7], [4]], [[3], [-2], [-14]], [[-12], [4], [14]]]> : tensor<12x3x1xi32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<12x3x1xi32>, tensor<12x3x1xi32>) -> ()
  return
}
