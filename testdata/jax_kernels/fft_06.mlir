// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-0.68142015, -1.7129221, 0.4022636, 0.24151781, 0.1761256, 1.4474741, -0.35260168], [-0.2891802, 2.0199232, -1.300863, 0.72916293, -1.3150965, 0.2362558, 2.1157827]]> : tensor<2x7xf32>
  %r0 = "stablehlo.fft"(%a0) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 7>}> : (tensor<2x7xf32>) -> (tensor<2x4xcomplex<f32>>)
  %w0 = stablehlo.constant dense<[[(-0.47956276, 0.0), (-2.7571423, 2.0541737), (-1.6279576, 0.9238402), (2.2399108, -0.29071024)], [(2.1959848, 0.0), (3.0541954, 0.6865551), (-0.61560696, 1.0247917), (-4.5487113, -3.1531816)]]> : tensor<2x4xcomplex<f32>>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>) -> ()
  return
}
