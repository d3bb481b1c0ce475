// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[[15.0], [8.0], [0.0]], [[-13.0], [12.0], [-8.0]], [[-10.0], [-9.0], [9.0]], [[-11.0], [-14.0], [16.0]]], [[[-2.0], [-15.0], [7.0]], [[-12.0], [-5.0], [17.0]], [[-3.0], [10.0], [-7.0]], [[14.0], [-6.0], [-4.0]]], [[[5.0], [-18.0], [-16.0]], [[6.0], [13.0], [1.0]], [[2.0], [11.0], [3.0]], [[-1.0], [-17.0], [4.0]]]]> : tensor<3x4x3x1xf32>
  %a1 = stablehlo.constant dense<[[[[4.0], [0.0]], [[-2.0], [-4.0]], [[-2.0], [-4.0]], [[-2.0], [-4.0]]]]> : tensor<1x4x2x1xf32>
  %a2 = stablehlo.constant dense<0.0> : tensor<f32>
  %r0 = "stablehlo.select_and_scatter"(%a0, %a1, %a2) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 3, 1, 2, 3>, padding = dense<[[0, 0], [1, 0], [1, 1], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x4x3x1xf32>, tensor<1x4x2x1xf32>, tensor<f32>) -> (tensor<3x4x3x1xf32>)
  %w0 = stablehlo.constant dense<[[[[2.0], [0.0], [0.0]], [[0.0], [-8.0], [0.0]], [[-4.0], [0.0], [0.0]], [[0.0], [0.0], [-4.0]]], [[[0.0], [0.0], [0.0]], [[0.0], [0.0], [0.0]], [[0.0], [0.0], [0.0]], [[0.0], [0.0], [0.0]]], [[[0.0], [0.0], [0.0]], [[0.0], [0.0], [0.0]], [[0.0], [0.0], [0.0]], [[0.0], [0.0], [0.0]]]]> : tensor<3x4x3x1xf32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3x4x3x1xf32>, tensor<3x4x3x1xf32>) -> ()
  return
}
