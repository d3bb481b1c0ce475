// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[2], [1], [1], [2]]> : tensor<4x1xui16>
  %a1 = stablehlo.constant dense<1> : tensor<ui16>
  %r0 = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 3, 3>, base_dilations = array<i64: 1, 2>, window_dilations = array<i64: 2, 1>, padding = dense<[[2, 0], [-1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<ui16>, %y: tensor<ui16>):
    %s = stablehlo.multiply %x, %y : tensor<ui16>
    stablehlo.return %s : tensor<ui16>
  }) : (tensor<4x1xui16>, tensor<ui16>) -> (tensor<1x1xui16>)
  %w0 = stablehlo.constant dense<[[1]]> : tensor<1x1xui16>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<1x1xui16>, tensor<1x1xui16>) -> ()
  return
}
