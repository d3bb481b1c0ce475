// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[[-3.0, -2.0, 3.0, 0.0], [1.0, -1.0, -3.0, 4.0], [-3.0, -3.0, -1.0, 4.0]], [[0.0, -4.0, 4.0, 4.0], [0.0, -2.0, -3.0, 2.0], [-4.0, -4.0, 4.0, 0.0]], [[-1.0, 2.0, -4.0, 1.0], [-2.0, 3.0, -1.0, -3.0], [0.0, -1.0, 1.0, 1.0]]], [[[-4.0, -4.0, 0.0, 3.0], [2.0, -1.0, 2.0, -2.0], [-1.0, -2.0, -1.0, 1.0]], [[-3.0, -4.0, 2.0, -2.0], [-1.0, -2.0, -2.0, -2.0], [-2.0, 2.0, -1.0, 1.0]], [[-1.0, 4.0, 1.0, 2.0], [4.0, -2.0, 0.0, -2.0], [-2.0, -3.0, 0.0, -2.0]]], [[[-4.0, 1.0, 0.0, 2.0], [-2.0, -2.0, 1.0, -1.0], [-3.0, 3.0, -3.0, 4.0]], [[3.0, -4.0, 2.0, -4.0], [0.0, 2.0, -1.0, 0.0], [-4.0, -1.0, 0.0, 1.0]], [[1.0, 2.0, 0.0, -4.0], [3.0, 4.0, 2.0, 4.0], [3.0, -1.0, 2.0, 0.0]]], [[[4.0, -2.0, 0.0, 1.0], [2.0, -3.0, -2.0, 0.0], [3.0, 4.0, 0.0, 0.0]], [[-3.0, 3.0, -2.0, -3.0], [2.0, 3.0, 1.0, -3.0], [3.0, -3.0, 2.0, 2.0]], [[3.0, -2.0, -1.0, -3.0], [3.0, -4.0, -4.0, 3.0], [-3.0, -4.0, -2.0, -4.0]]]]> : tensor<4x3x3x4xf32>
  %a1 = stablehlo.constant dense<-100.0> : tensor<f32>
  %r0 = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 2, 2, 1, 3>, window_strides = array<i64: 1, 2, 3, 1>, base_dilations = array<i64: 2, 1, 2, 2>, window_dilations = array<i64: 2, 1, 2, 2>, padding = dense<[[-1, 2], [2, -1], [2, -1], [1, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x3x3x4xf32>, tensor<f32>) -> (tensor<6x2x2x4xf32>)
  %w0 = stablehlo.constant dense<-100.0> : tensor<6x2x2x4xf32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<6x2x2x4xf32>, tensor<6x2x2x4xf32>) -> ()
  return
}
