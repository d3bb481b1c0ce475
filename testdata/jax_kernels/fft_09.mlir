// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[(1.3045484, 1.4932806)], [(1.5216998, -0.45993164)], [(1.9056523, -0.61437684)]]> : tensor<3x1xcomplex<f32>>
  %r0 = "stablehlo.fft"(%a0) <{fft_type = #stablehlo<fft_type IFFT>, fft_length = array<i64: 1>}> : (tensor<3x1xcomplex<f32>>) -> (tensor<3x1xcomplex<f32>>)
  %w0 = stablehlo.constant dense<[[(1.3045484, 1.4932806)], [(1.5216998, -0.45993164)], [(1.9056523, -0.61437684)]]> : tensor<3x1xcomplex<f32>>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<3x1xcomplex<f32>>, tensor<3x1xcomplex<f32>>) -> ()
  return
}
