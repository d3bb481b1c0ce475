// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[0.8994319174697702, 0.06402360177964271, 0.046491838144978995, 1.1975825592297185, -0.545837614558021, 0.5630041901587631, -0.2801611902258839]> : tensor<7xf64>
  %r0 = "stablehlo.fft"(%a0) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 7>}> : (tensor<7xf64>) -> (tensor<4xcomplex<f64>>)
  %w0 = stablehlo.constant dense<[(1.9445353019989686, 0.0), (0.04184480485240194, -0.5219738610677169), (0.804746435317838, 0.8033991077703102), (1.3291528199744718, -2.2528707924772955)]> : tensor<4xcomplex<f64>>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 1.000000e-11 : f64} : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> ()
  return
}
