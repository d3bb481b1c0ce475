// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[(1.9150004, -1.471756e-10), (0.112571195, 0.11686898), (-0.9574801, 0.1826227)], [(0.112571195, -0.11686899), (2.3677292, -1.38631435e-08), (0.18506607, 2.006919)], [(-0.9574801, -0.18262278), (0.18506607, -2.006919), (5.605346, 7.490191e-09)]]> : tensor<3x3xcomplex<f32>>
  %a1 = stablehlo.constant dense<[[(1.0, 0.0), (0.0, 0.0), (0.0, 0.0)], [(1.0, 0.0), (1.0, 0.0), (0.0, 0.0)], [(1.0, 0.0), (1.0, 0.0), (1.0, 0.0)]]> : tensor<3x3xcomplex<f32>>
  %c = "stablehlo.cholesky"(%a0) <{lower = true}> : (tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>)
  %r0 = stablehlo.multiply %c, %a1 : tensor<3x3xcomplex<f32>>
  %w0 = stablehlo.constant dense<[[(1.3838354, -1.063534e-10), (0.0, 0.0), (0.0, 0.0)], [(0.08134724, -0.08445295), (1.5342685, -9.084887e-09), (0.0, 0.0)], [(-0.6919031, -0.13196856), (0.15004243, -1.26298), (1.8685743, 5.0770232e-09)]]> : tensor<3x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 2.000000e-05 : f64} : (tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>) -> ()
  return
}
