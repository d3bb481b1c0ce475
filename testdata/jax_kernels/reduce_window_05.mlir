// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[[1, 1], [2, 1], [2, 2], [2, 2]], [[2, 1], [2, 1], [2, 2], [2, 1]], [[2, 2], [2, 2], [1, 2], [1, 2]]], [[[1, 1], [1, 1], [2, 1], [1, 2]], [[2, 1], [2, 2], [1, 2], [1, 2]], [[1, 1], [2, 2], [1, 1], [1, 1]]], [[[2, 2], [1, 2], [2, 1], [1, 1]], [[1, 2], [2, 1], [1, 2], [1, 1]], [[1, 1], [1, 1], [1, 2], [2, 2]]]]> : tensor<3x3x4x2xi32>
  %a1 = stablehlo.constant dense<1> : tensor<i32>
  %r0 = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 2, 3, 1, 2>, window_strides = array<i64: 2, 1, 1, 1>, base_dilations = array<i64: 2, 2, 1, 2>, window_dilations = array<i64: 1, 1, 2, 1>, padding = dense<[[0, -1], [0, 1], [0, 0], [0, -1]]> : tensor<4x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.multiply %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3x3x4x2xi32>, tensor<i32>) -> (tensor<2x4x4x1xi32>)
  %w0 = stablehlo.constant dense<[[[[2], [4], [4], [4]], [[2], [2], [2], [2]], [[4], [4], [2], [2]], [[2], [2], [1], [1]]], [[[2], [2], [2], [1]], [[2], [2], [1], [1]], [[2], [4], [1], [1]], [[1], [2], [1], [1]]]]> : tensor<2x4x4x1xi32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2x4x4x1xi32>, tensor<2x4x4x1xi32>) -> ()
  return
}
