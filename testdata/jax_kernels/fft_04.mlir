// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[(-0.4194051, -0.8914335), (0.14399704, 0.09758487), (-0.06957009, 0.61296993), (-1.1075062, -1.3421551), (2.0400894, 0.71133685), (0.17761177, -1.3732921), (-1.3420383, -0.79438883)]> : tensor<7xcomplex<f32>>
  %r0 = "stablehlo.fft"(%a0) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 7>}> : (tensor<7xcomplex<f32>>) -> (tensor<7xcomplex<f32>>)
  %w0 = stablehlo.constant dense<[(-0.57682145, -2.9793777), (-0.28778303, -0.14350277), (1.9445863, -4.461577), (-2.6480799, 1.6333399), (3.6877522, -2.8279753), (-1.28199, 3.5722528), (-3.7735, -1.0331943)]> : tensor<7xcomplex<f32>>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>) -> ()
  return
}
