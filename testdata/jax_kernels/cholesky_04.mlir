// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[4.35296, 2.1229532, 1.9739255], [2.1229532, 4.1464405, 2.8025496], [1.9739255, 2.8025496, 5.99419]]> : tensor<3x3xf32>
  %a1 = stablehlo.constant dense<[[1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf32>
  %c = "stablehlo.cholesky"(%a0) <{lower = false}> : (tensor<3x3xf32>) -> (tensor<3x3xf32>)
  %r0 = stablehlo.multiply %c, %a1 : tensor<3x3xf32>
  %w0 = stablehlo.constant dense<[[2.086375, 1.0175321, 0.94610304], [0.0, 1.7638223, 1.0431093], [0.0, 0.0, 2.0027487]]> : tensor<3x3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 2.000000e-05 : f64} : (tensor<3x3xf32>, tensor<3x3xf32>) -> ()
  return
}
