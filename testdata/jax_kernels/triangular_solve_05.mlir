// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[[2.8527453, -2.5325196], [0.3772074, 1.5078282]]]]> : tensor<1x1x2x2xf32>
  %a1 = stablehlo.constant dense<[[[[-1.2964406, -0.63495886], [1.2725912, -0.37084535]]]]> : tensor<1x1x2x2xf32>
  %r0 = "stablehlo.triangular_solve"(%a0, %a1) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> (tensor<1x1x2x2xf32>)
  %w0 = stablehlo.constant dense<[[[[-0.45445368, -0.30741933], [0.44609353, -0.35754412]]]]> : tensor<1x1x2x2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 1.326411e-04 : f64} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> ()
  return
}
