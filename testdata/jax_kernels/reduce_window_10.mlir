// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[1.0, 1.0, 2.0, 1.0, 1.0, 2.0]> : tensor<6xf64>
  %a1 = stablehlo.constant dense<1.0> : tensor<f64>
  %r0 = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 1>, base_dilations = array<i64: 2>, window_dilations = array<i64: 1>, padding = dense<[[-1, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %s = stablehlo.multiply %x, %y : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<6xf64>, tensor<f64>) -> (tensor<9xf64>)
  %w0 = stablehlo.constant dense<[1.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 2.0, 2.0]> : tensor<9xf64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<9xf64>, tensor<9xf64>) -> ()
  return
}
