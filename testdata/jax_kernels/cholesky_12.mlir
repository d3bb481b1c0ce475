// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[9.296396541489184, -3.6867672156897453, -3.7609702099343276], [-3.6867672156897453, 2.894345503507342, 2.3715609417150962], [-3.7609702099343276, 2.3715609417150962, 4.939382450992112]]> : tensor<3x3xf64>
  %a1 = stablehlo.constant dense<[[1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %c = "stablehlo.cholesky"(%a0) <{lower = false}> : (tensor<3x3xf64>) -> (tensor<3x3xf64>)
  %r0 = stablehlo.multiply %c, %a1 : tensor<3x3xf64>
  %w0 = stablehlo.constant dense<[[3.048999268856781, -1.2091728762769087, -1.2335097119732994], [0.0, 1.1967649973088155, 0.7353444137752924], [0.0, 0.0, 1.696203064078453]]> : tensor<3x3xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 1.000000e-10 : f64} : (tensor<3x3xf64>, tensor<3x3xf64>) -> ()
  return
}
