// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[1.2305697, -2.0242558, 0.37333998], [1.1803079, -0.64187783, -0.032671217], [0.8699657, -1.747874, 0.3046529], [-1.086809, 0.23813528, 0.3787956]], [[0.24831189, -1.0090396, 0.010958106], [-0.6304613, 0.30915397, -0.3722356], [-0.8407726, 0.94184166, -1.217243], [-0.5040626, 1.0894241, 0.3658677]], [[0.8738739, -0.99606895, 0.17471479], [-0.88019323, -1.7708426, 0.5835205], [-1.0318788, 0.110515, -0.9551837], [0.5489812, 0.5707036, -1.0202991]]]> : tensor<3x4x3xf32>
  %a1 = stablehlo.constant dense<[-1.0243535, -2.665915, -0.47885853]> : tensor<3xf32>
  %a2 = stablehlo.constant dense<[-0.24583696, -0.7480312, 0.68844616]> : tensor<3xf32>
  %r:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<3x4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3x4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<3x4x3xf32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<3xf32>
  %r2 = stablehlo.optimization_barrier %r#2 : tensor<3xf32>
  %w0 = stablehlo.constant dense<[[[-1.6890429, 3.343498, 0.29620183], [-1.6301844, -0.1621516, 0.6208895], [-1.2667623, 2.642606, 0.35113096], [1.0246935, -2.3938262, 0.29183894]], [[-0.53878266, 0.7689545, 0.5859991], [0.49029335, -2.5739264, 0.89243954], [0.7365757, -4.178395, 1.568193], [0.3422758, -4.552657, 0.30217743]], [[-1.2713389, 0.7360616, 0.45504266], [0.7827387, 2.700853, 0.12812023], [0.9603681, -2.0701866, 1.3586239], [-0.8908775, -3.2372048, 1.4106967]]]> : tensor<3x4x3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<3x4x3xf32>, tensor<3x4x3xf32>) -> ()
  %w1 = stablehlo.constant dense<[-0.0018472772, -0.41084874, -0.11714859]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r1, %w1) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<3xf32>, tensor<3xf32>) -> ()
  %w2 = stablehlo.constant dense<[0.7641708, 1.1041193, 0.35755756]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r2, %w2) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}
