// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[1.164402, 0.13492142, 0.5353897], [0.13492142, 2.9832423, -0.17482524], [0.5353897, -0.17482524, 3.0420613]]> : tensor<3x3xf32>
  %a1 = stablehlo.constant dense<[[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]> : tensor<3x3xf32>
  %c = "stablehlo.cholesky"(%a0) <{lower = true}> : (tensor<3x3xf32>) -> (tensor<3x3xf32>)
  %r0 = stablehlo.multiply %c, %a1 : tensor<3x3xf32>
  %w0 = stablehlo.constant dense<[[1.0790746, 0.0, 0.0], [0.12503438, 1.722675, 0.0], [0.49615633, -0.13749655, 1.6664287]]> : tensor<3x3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 2.000000e-05 : f64} : (tensor<3x3xf32>, tensor<3x3xf32>) -> ()
  return
}
