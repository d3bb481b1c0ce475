// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[(4.0601683, -1.1792771), (1.5167711, -1.4378029)], [(0.16480054, 1.5915904), (1.5144414, -0.8474086)]]> : tensor<2x2xcomplex<f32>>
  %a1 = stablehlo.constant dense<[[(1.2318416, 0.08516772), (0.5857319, 0.17526095)], [(1.7152691, -0.53074366), (1.0030938, -0.032628298)], [(-0.10237026, 1.60932), (-0.20003045, -1.7021383)]]> : tensor<3x2xcomplex<f32>>
  %r0 = "stablehlo.triangular_solve"(%a0, %a1) <{left_side = false, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x2xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> (tensor<3x2xcomplex<f32>>)
  %w0 = stablehlo.constant dense<[[(0.59541106, -1.0228301), (0.5857319, 0.17526095)], [(0.14689228, -1.9235052), (1.0030938, -0.032628298)], [(-2.2463093, 4.4786787), (-0.20003045, -1.7021383)]]> : tensor<3x2xcomplex<f32>>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 4.179891e-04 : f64} : (tensor<3x2xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> ()
  return
}
