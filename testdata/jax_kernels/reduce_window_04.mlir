// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[2.0, 3.0, -4.0], [-2.0, 2.0, 1.0]]> : tensor<2x3xf32>
  %a1 = stablehlo.constant dense<0.0> : tensor<f32>
  %r0 = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 3, 2>, base_dilations = array<i64: 2, 2>, window_dilations = array<i64: 2, 1>, padding = dense<[[-1, 1], [1, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<1x4xf32>)
  %w0 = stablehlo.constant dense<0.0> : tensor<1x4xf32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<1x4xf32>, tensor<1x4xf32>) -> ()
  return
}
