// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[3.2430374661903723]], [[3.2833762925346157]]]> : tensor<2x1x1xf64>
  %a1 = stablehlo.constant dense<[[[0.3833125924326753], [-0.6536444065928503]], [[-0.25946005830143554], [0.6370583312163494]]]> : tensor<2x2x1xf64>
  %r0 = "stablehlo.triangular_solve"(%a0, %a1) <{left_side = false, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x1x1xf64>, tensor<2x2x1xf64>) -> (tensor<2x2x1xf64>)
  %w0 = stablehlo.constant dense<[[[0.3833125924326753], [-0.6536444065928503]], [[-0.25946005830143554], [0.6370583312163494]]]> : tensor<2x2x1xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 2.000000e-12 : f64} : (tensor<2x2x1xf64>, tensor<2x2x1xf64>) -> ()
  return
}
