// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[1.4856797548803724]]> : tensor<1x1xf64>
  %a1 = stablehlo.constant dense<[[0.5378871148832081, 1.1694709919931063, 1.0096714930428576]]> : tensor<1x3xf64>
  %r0 = "stablehlo.triangular_solve"(%a0, %a1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<1x1xf64>, tensor<1x3xf64>) -> (tensor<1x3xf64>)
  %w0 = stablehlo.constant dense<[[0.3620478189302101, 0.7871622320701762, 0.6796023771113154]]> : tensor<1x3xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 1.346185e-12 : f64} : (tensor<1x3xf64>, tensor<1x3xf64>) -> ()
  return
}
