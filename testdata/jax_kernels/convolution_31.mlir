// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[0, 0, 2], [0, 1, 0], [3, 1, 2], [0, -2, 0]]]> : tensor<1x4x3xi32>
  %a1 = stablehlo.constant dense<[[[2, 3, -3], [-3, -1, 2]], [[3, -3, -3], [-3, 0, 3]], [[1, -3, 3], [-3, 0, 2]], [[0, -1, -2], [0, 1, 1]], [[0, 0, -2], [2, -1, 0]]]> : tensor<5x2x3xi32>
  %r0 = "stablehlo.convolution"(%a0, %a1) <{window_strides = array<i64: 1>, padding = dense<[[1, 2]]> : tensor<1x2xi64>, lhs_dilation = array<i64: 2>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[o, 0, i]->[0, b, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x3xi32>, tensor<5x2x3xi32>) -> (tensor<9x1x5xi32>)
  %w0 = stablehlo.constant dense<[[[4, 6, 4, 2, 0]], [[-6, -6, 6, -4, -4]], [[-1, 0, 0, 1, -1]], [[3, -3, -3, -1, 0]], [[-6, -3, -5, 3, 5]], [[3, 0, 6, -5, -4]], [[2, 0, 0, -2, 2]], [[-6, 6, 6, 2, 0]], [[0, 0, 0, 0, 0]]]> : tensor<9x1x5xi32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<9x1x5xi32>, tensor<9x1x5xi32>) -> ()
  return
}
