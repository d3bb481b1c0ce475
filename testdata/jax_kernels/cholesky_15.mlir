// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[1.5401172679813684]]> : tensor<1x1xf64>
  %a1 = stablehlo.constant dense<[[1.0]]> : tensor<1x1xf64>
  %c = "stablehlo.cholesky"(%a0) <{lower = false}> : (tensor<1x1xf64>) -> (tensor<1x1xf64>)
  %r0 = stablehlo.multiply %c, %a1 : tensor<1x1xf64>
  %w0 = stablehlo.constant dense<[[1.2410146123158132]]> : tensor<1x1xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 1.000000e-10 : f64} : (tensor<1x1xf64>, tensor<1x1xf64>) -> ()
  return
}
