// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[-4.0, -6.0, -3.0], [3.0, -1.0, 5.0], [1.0, -2.0, 4.0], [-5.0, 0.0, 2.0]]]> : tensor<1x4x3xf64>
  %a1 = stablehlo.constant dense<[[[2.0], [1.0], [2.0]]]> : tensor<1x3x1xf64>
  %a2 = stablehlo.constant dense<0.0> : tensor<f64>
  %r0 = "stablehlo.select_and_scatter"(%a0, %a1, %a2) <{window_dimensions = array<i64: 1, 2, 3>, window_strides = array<i64: 1, 2, 1>, padding = dense<[[0, 0], [1, 1], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %p = stablehlo.compare LE, %x, %y, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %s = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<1x4x3xf64>, tensor<1x3x1xf64>, tensor<f64>) -> (tensor<1x4x3xf64>)
  %w0 = stablehlo.constant dense<[[[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [2.0, 0.0, 0.0]]]> : tensor<1x4x3xf64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<1x4x3xf64>, tensor<1x4x3xf64>) -> ()
  return
}
