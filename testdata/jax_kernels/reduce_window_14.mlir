// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[[2, 1, 2], [1, 1, 2]], [[1, 1, 1], [2, 1, 1]], [[1, 1, 2], [1, 1, 1]]], [[[1, 2, 2], [1, 1, 1]], [[1, 1, 2], [2, 2, 2]], [[1, 1, 1], [1, 1, 2]]], [[[2, 1, 1], [2, 2, 1]], [[2, 2, 2], [1, 1, 1]], [[2, 2, 1], [2, 1, 2]]], [[[1, 1, 1], [1, 2, 1]], [[1, 2, 1], [1, 1, 1]], [[1, 2, 1], [1, 1, 2]]]]> : tensor<4x3x2x3xi64>
  %a1 = stablehlo.constant dense<1> : tensor<i64>
  %r0 = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 3, 1, 3, 3>, base_dilations = array<i64: 1, 1, 1, 2>, window_dilations = array<i64: 2, 2, 1, 1>, padding = dense<[[-1, 0], [-1, 2], [1, 2], [1, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %s = stablehlo.multiply %x, %y : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) : (tensor<4x3x2x3xi64>, tensor<i64>) -> (tensor<1x4x1x2xi64>)
  %w0 = stablehlo.constant dense<[[[[2, 8]], [[1, 2]], [[1, 1]], [[1, 1]]]]> : tensor<1x4x1x2xi64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<1x4x1x2xi64>, tensor<1x4x1x2xi64>) -> ()
  return
}
