// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[-4.0, -3.0, 4.0, -1.0], [-1.0, 1.0, 3.0, -2.0], [0.0, -3.0, -3.0, -4.0], [0.0, 3.0, -3.0, 3.0]], [[-4.0, 3.0, -2.0, 2.0], [-1.0, 1.0, -4.0, -4.0], [-4.0, 3.0, -4.0, 0.0], [0.0, 2.0, -3.0, -3.0]], [[-4.0, 2.0, -1.0, -3.0], [-3.0, 4.0, -3.0, 2.0], [1.0, 0.0, -3.0, 1.0], [-4.0, -2.0, -3.0, 0.0]]]> : tensor<3x4x4xbf16>
  %a1 = stablehlo.constant dense<100.0> : tensor<bf16>
  %r0 = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 3, 2, 3>, window_strides = array<i64: 3, 3, 2>, base_dilations = array<i64: 1, 2, 1>, window_dilations = array<i64: 2, 1, 1>, padding = dense<[[2, 1], [-1, 0], [1, 1]]> : tensor<3x2xi64>}> ({
  ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
    %s = stablehlo.minimum %x, %y : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<3x4x4xbf16>, tensor<bf16>) -> (tensor<1x2x2xbf16>)
  %w0 = stablehlo.constant dense<[[[-3.0, -3.0], [-3.0, -4.0]]]> : tensor<1x2x2xbf16>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<1x2x2xbf16>, tensor<1x2x2xbf16>) -> ()
  return
}
