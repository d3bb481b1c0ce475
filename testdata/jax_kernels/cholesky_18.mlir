// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<> : tensor<2x0x3x3xcomplex<f32>>
  %a1 = stablehlo.constant dense<> : tensor<2x0x3x3xcomplex<f32>>
  %c = "stablehlo.cholesky"(%a0) <{lower = true}> : (tensor<2x0x3x3xcomplex<f32>>) -> (tensor<2x0x3x3xcomplex<f32>>)
  %r0 = stablehlo.multiply %c, %a1 : tensor<2x0x3x3xcomplex<f32>>
  %w0 = stablehlo.constant dense<> : tensor<2x0x3x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 2.000000e-05 : f64} : (tensor<2x0x3x3xcomplex<f32>>, tensor<2x0x3x3xcomplex<f32>>) -> ()
  return
}
