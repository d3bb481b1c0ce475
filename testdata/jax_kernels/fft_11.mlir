// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[(-0.8259502, 0.0)]> : tensor<1xcomplex<f32>>
  %r0 = "stablehlo.fft"(%a0) <{fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 1>}> : (tensor<1xcomplex<f32>>) -> (tensor<1xf32>)
  %w0 = stablehlo.constant dense<[-0.8259502]> : tensor<1xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<1xf32>, tensor<1xf32>) -> ()
  return
}
