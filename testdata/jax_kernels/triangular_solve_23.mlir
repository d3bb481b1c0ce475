// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[(3.479411, 0.34181163), (1.8291701, -0.16534202), (1.3723191, -0.8892325), (-0.53930646, 0.7876812)], [(-0.0891805, -0.53963745), (1.7184587, -0.49930885), (0.24945298, -1.3796515), (0.15102106, -0.78601575)], [(2.7034829, 0.6517716), (0.097575106, -1.6176552), (0.9067476, -0.0711737), (-0.6720865, 0.71772504)], [(0.11234921, -0.3771086), (-1.2560153, 0.23979051), (-0.8672077, -1.116794), (2.6343641, 1.3102779)]]> : tensor<4x4xcomplex<f32>>
  %a1 = stablehlo.constant dense<[[(1.1010504, -0.6077617), (0.23549908, -0.18938716), (-1.7550789, 0.0011479036), (-1.0459623, 0.42309675)], [(0.97670305, -1.5288095), (1.713121, 0.94066685), (0.29661545, 1.3225466), (1.247319, -1.1487352)]]> : tensor<2x4xcomplex<f32>>
  %r0 = "stablehlo.triangular_solve"(%a0, %a1) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<4x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>) -> (tensor<2x4xcomplex<f32>>)
  %w0 = stablehlo.constant dense<[[(0.7827605, -0.45694223), (0.8279796, 1.6206256), (-2.2073462, -0.15002161), (-0.3823419, -0.029562116)], [(-0.4540366, -0.73772585), (1.7328264, -1.242975), (0.99797714, 1.6991297), (0.55345035, -0.16078319)]]> : tensor<2x4xcomplex<f32>>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 2.198922e-04 : f64} : (tensor<2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>) -> ()
  return
}
