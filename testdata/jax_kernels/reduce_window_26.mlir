// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[1.0, -2.0, 4.0, -3.0, 1.0, 1.0, -4.0, -2.0, -1.0, 3.0, 3.0, -2.0, 2.0, 1.0, -3.0, 1.0, -1.0, 4.0, -3.0, 2.0], [-2.0, 4.0, 4.0, 1.0, 1.0, -4.0, 2.0, -2.0, 2.0, 2.0, 2.0, -1.0, -3.0, 1.0, 1.0, -3.0, 4.0, 1.0, 3.0, -1.0], [-3.0, 4.0, 2.0, -4.0, -1.0, -1.0, -3.0, 2.0, 4.0, -1.0, 0.0, 0.0, -2.0, -1.0, 0.0, -4.0, 1.0, -2.0, 4.0, 3.0]]> : tensor<3x20xf32>
  %a1 = stablehlo.constant dense<0.0> : tensor<f32>
  %r0 = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 1, 20>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [19, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x20xf32>, tensor<f32>) -> (tensor<3x20xf32>)
  %w0 = stablehlo.constant dense<[[1.0, -1.0, 3.0, 0.0, 1.0, 2.0, -2.0, -4.0, -5.0, -2.0, 1.0, -1.0, 1.0, 2.0, -1.0, 0.0, -1.0, 3.0, 0.0, 2.0], [-2.0, 2.0, 6.0, 7.0, 8.0, 4.0, 6.0, 4.0, 6.0, 8.0, 10.0, 9.0, 6.0, 7.0, 8.0, 5.0, 9.0, 10.0, 13.0, 12.0], [-3.0, 1.0, 3.0, -1.0, -2.0, -3.0, -6.0, -4.0, 0.0, -1.0, -1.0, -1.0, -3.0, -4.0, -4.0, -8.0, -7.0, -9.0, -5.0, -2.0]]> : tensor<3x20xf32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3x20xf32>, tensor<3x20xf32>) -> ()
  return
}
