// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[0.0, -1.0, -3.0, -3.0]> : tensor<4xbf16>
  %a1 = stablehlo.constant dense<-100.0> : tensor<bf16>
  %r0 = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 1>, base_dilations = array<i64: 2>, window_dilations = array<i64: 1>, padding = dense<[[-1, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
    %s = stablehlo.maximum %x, %y : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<4xbf16>, tensor<bf16>) -> (tensor<5xbf16>)
  %w0 = stablehlo.constant dense<[-1.0, -1.0, -3.0, -3.0, -3.0]> : tensor<5xbf16>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<5xbf16>, tensor<5xbf16>) -> ()
  return
}
