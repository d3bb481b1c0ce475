// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[0.55843854], [-0.12983064]]> : tensor<2x1xf32>
  %r0 = "stablehlo.fft"(%a0) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 1>}> : (tensor<2x1xf32>) -> (tensor<2x1xcomplex<f32>>)
  %w0 = stablehlo.constant dense<[[(0.55843854, 0.0)], [(-0.12983064, 0.0)]]> : tensor<2x1xcomplex<f32>>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2x1xcomplex<f32>>, tensor<2x1xcomplex<f32>>) -> ()
  return
}
