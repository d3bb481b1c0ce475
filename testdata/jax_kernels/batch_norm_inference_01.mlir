// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[1.963024, -1.1187183], [-0.2773737, 0.45479733], [0.24311534, -0.17124268]], [[1.3768893, 1.4453449], [0.9126731, 1.0016456], [-0.054931577, -1.1647955]]]> : tensor<2x3x2xf32>
  %a1 = stablehlo.constant dense<[2.187781, -0.9575219, 2.229274]> : tensor<3xf32>
  %a2 = stablehlo.constant dense<[-0.12710595, 0.23181231, -0.16915318]> : tensor<3xf32>
  %a3 = stablehlo.constant dense<[0.95811594, -0.5080782, 1.8432035]> : tensor<3xf32>
  %a4 = stablehlo.constant dense<[1.0350285, 0.6746258, 1.0700719]> : tensor<3xf32>
  %r0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x2xf32>)
  %w0 = stablehlo.constant dense<[[[2.0328472, -4.5910616], [-0.036939647, -0.88985926], [-3.61581, -4.5083547]], [[0.7730071, 0.9201458], [-1.4232472, -1.5268929], [-4.2578154, -6.648509]]]> : tensor<2x3x2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2x3x2xf32>, tensor<2x3x2xf32>) -> ()
  return
}
