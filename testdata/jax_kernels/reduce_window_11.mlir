// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-1.0, -1.0, 1.0, -1.0], [0.0, 1.0, 1.0, -2.0], [-4.0, 3.0, 0.0, -3.0], [4.0, 0.0, -2.0, -3.0], [-4.0, 1.0, 1.0, 4.0]]> : tensor<5x4xf64>
  %a1 = stablehlo.constant dense<-100.0> : tensor<f64>
  %r0 = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 2, 2>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, -1], [1, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %s = stablehlo.maximum %x, %y : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<5x4xf64>, tensor<f64>) -> (tensor<3x4xf64>)
  %w0 = stablehlo.constant dense<[[-100.0, -100.0, -100.0, -100.0], [-100.0, 1.0, -2.0, -100.0], [-100.0, 0.0, -3.0, -100.0]]> : tensor<3x4xf64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3x4xf64>, tensor<3x4xf64>) -> ()
  return
}
