// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[2.0, -1.0, -3.0]> : tensor<3xf32>
  %a1 = stablehlo.constant dense<0.0> : tensor<f32>
  %r0 = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 3>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<[[-1, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3xf32>, tensor<f32>) -> (tensor<1xf32>)
  %w0 = stablehlo.constant dense<[-4.0]> : tensor<1xf32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<1xf32>, tensor<1xf32>) -> ()
  return
}
