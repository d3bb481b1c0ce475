// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[(0.6682137, 0.0), (-0.43748263, -4.3692503), (-0.42828166, -1.29725), (-1.1101227, 0.25272724), (0.40621257, 0.0)]> : tensor<5xcomplex<f32>>
  %r0 = "stablehlo.fft"(%a0) <{fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 8>}> : (tensor<5xcomplex<f32>>) -> (tensor<8xf32>)
  %w0 = stablehlo.constant dense<[-0.35966843, 1.203675, 1.396868, 0.3172359, 0.4141342, -0.48954982, -0.9141206, -0.90036064]> : tensor<8xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<8xf32>, tensor<8xf32>) -> ()
  return
}
