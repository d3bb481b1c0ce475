// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[-3, 1, 0, 1]> : tensor<4xi8>
  %a1 = stablehlo.constant dense<-100> : tensor<i8>
  %r0 = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 3>, base_dilations = array<i64: 2>, window_dilations = array<i64: 2>, padding = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<i8>, %y: tensor<i8>):
    %s = stablehlo.maximum %x, %y : tensor<i8>
    stablehlo.return %s : tensor<i8>
  }) : (tensor<4xi8>, tensor<i8>) -> (tensor<2xi8>)
  %w0 = stablehlo.constant dense<[1, -100]> : tensor<2xi8>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2xi8>, tensor<2xi8>) -> ()
  return
}
