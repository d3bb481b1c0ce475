// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[[1.9032162587257477, -0.45678151259372246], [1.581551798649239, 1.8514189129593326]]]]> : tensor<1x1x2x2xf64>
  %a1 = stablehlo.constant dense<[[[[-1.0899504257265902, 1.4808828568718004]]]]> : tensor<1x1x1x2xf64>
  %r0 = "stablehlo.triangular_solve"(%a0, %a1) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<1x1x2x2xf64>, tensor<1x1x1x2xf64>) -> (tensor<1x1x1x2xf64>)
  %w0 = stablehlo.constant dense<[[[[-1.0899504257265902, 3.2046959131181927]]]]> : tensor<1x1x1x2xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.163104e-12 : f64} : (tensor<1x1x1x2xf64>, tensor<1x1x1x2xf64>) -> ()
  return
}
