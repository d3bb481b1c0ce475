// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[2.5607953]]]> : tensor<1x1x1xf32>
  %a1 = stablehlo.constant dense<[[[0.5523399]]]> : tensor<1x1x1xf32>
  %r0 = "stablehlo.triangular_solve"(%a0, %a1) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> (tensor<1x1x1xf32>)
  %w0 = stablehlo.constant dense<[[[0.5523399]]]> : tensor<1x1x1xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 2.000000e-04 : f64} : (tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> ()
  return
}
