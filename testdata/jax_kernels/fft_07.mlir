// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[(-2.6081605, 0.0), (-3.1835122, 0.46209404), (-1.9826015, -1.4943244), (1.4621384, 0.480215)], [(3.1216652, 0.0), (0.09799312, -1.7613975), (-0.8481929, 2.6025805), (2.7490904, 0.5955147)], [(2.8483312, 0.0), (-1.8988642, -3.41924), (1.4695848, -1.7337196), (0.15842701, -1.7110541)]]> : tensor<3x4xcomplex<f32>>
  %r0 = "stablehlo.fft"(%a0) <{fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 7>}> : (tensor<3x4xcomplex<f32>>) -> (tensor<3x7xf32>)
  %w0 = stablehlo.constant dense<[[-1.4308732, -0.9365479, 0.39393836, -0.52408665, 0.52561635, 0.80732363, -1.4435315], [1.0170639, -0.59564865, 2.094085, 0.72868896, -0.5389895, 0.20148769, 0.21497795], [0.32951808, 1.3932606, 0.53284395, 1.6606375, 0.6342201, -0.17774107, -1.524408]]> : tensor<3x7xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<3x7xf32>, tensor<3x7xf32>) -> ()
  return
}
