// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[1.106192863488186]]]> : tensor<1x1x1xf64>
  %a1 = stablehlo.constant dense<[[[-0.3936567119009843]]]> : tensor<1x1x1xf64>
  %r0 = "stablehlo.triangular_solve"(%a0, %a1) <{left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<1x1x1xf64>, tensor<1x1x1xf64>) -> (tensor<1x1x1xf64>)
  %w0 = stablehlo.constant dense<[[[-0.3936567119009843]]]> : tensor<1x1x1xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 2.000000e-12 : f64} : (tensor<1x1x1xf64>, tensor<1x1x1xf64>) -> ()
  return
}
