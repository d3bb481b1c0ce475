// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[1.1316527198753357]]> : tensor<1x1xf64>
  %a1 = stablehlo.constant dense<[[1.0]]> : tensor<1x1xf64>
  %c = "stablehlo.cholesky"(%a0) <{lower = true}> : (tensor<1x1xf64>) -> (tensor<1x1xf64>)
  %r0 = stablehlo.multiply %c, %a1 : tensor<1x1xf64>
  %w0 = stablehlo.constant dense<[[1.0637916712756006]]> : tensor<1x1xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 1.000000e-10 : f64} : (tensor<1x1xf64>, tensor<1x1xf64>) -> ()
  return
}
