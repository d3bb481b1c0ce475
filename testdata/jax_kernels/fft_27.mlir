// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[(0.5441218635055053, 0.0), (-1.2297719118876504, 0.5960633007036391), (-0.3623779534233642, 1.846283588166973), (-0.28243928860220835, -0.5660334219617686)]> : tensor<4xcomplex<f64>>
  %r0 = "stablehlo.fft"(%a0) <{fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 7>}> : (tensor<4xcomplex<f64>>) -> (tensor<7xf64>)
  %w0 = stablehlo.constant dense<[-0.45786520633156297, -0.622858682152086, 0.135290026429545, 0.8439025938066931, -0.1484986881540211, 0.26248378185626436, 0.5316680380506725]> : tensor<7xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 1.000000e-11 : f64} : (tensor<7xf64>, tensor<7xf64>) -> ()
  return
}
