// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[3.0009115, 0.05014367, -0.11570044], [-0.5946672, 4.98588, 0.00739317], [-1.1629092, -0.49041754, 3.74682]], [[3.6595595, -0.14099903, -0.68725693], [0.024582122, 1.2793125, -1.3384432], [0.82139957, -0.4927688, 3.385484]]]> : tensor<2x3x3xf32>
  %a1 = stablehlo.constant dense<[[[1.2525926, 0.6679125, 0.021189654]], [[2.1879818, 0.6864988, -0.36446035]]]> : tensor<2x1x3xf32>
  %r0 = "stablehlo.triangular_solve"(%a0, %a1) <{left_side = false, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x3x3xf32>, tensor<2x1x3xf32>) -> (tensor<2x1x3xf32>)
  %w0 = stablehlo.constant dense<[[[1.2215605, 0.66775584, 0.021189654]], [[1.9655188, 0.19868936, -0.36446035]]]> : tensor<2x1x3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 2.676886e-04 : f64} : (tensor<2x1x3xf32>, tensor<2x1x3xf32>) -> ()
  return
}
