// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[2.2801994102785503, -1.219157599364951, -0.735942386897523], [-1.219157599364951, 2.9831428841382834, 0.5681624330544034], [-0.735942386897523, 0.5681624330544034, 1.5628274184947721]]> : tensor<3x3xf64>
  %a1 = stablehlo.constant dense<[[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]> : tensor<3x3xf64>
  %c = "stablehlo.cholesky"(%a0) <{lower = true}> : (tensor<3x3xf64>) -> (tensor<3x3xf64>)
  %r0 = stablehlo.multiply %c, %a1 : tensor<3x3xf64>
  %w0 = stablehlo.constant dense<[[1.510032916951995, 0.0, 0.0], [-0.8073715385130966, 1.5268575843664265, 0.0], [-0.4873684398768105, 0.11440164932004261, 1.1455180858195428]]> : tensor<3x3xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 1.000000e-10 : f64} : (tensor<3x3xf64>, tensor<3x3xf64>) -> ()
  return
}
