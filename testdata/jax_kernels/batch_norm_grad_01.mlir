// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[1.963024, -1.1187183], [-0.2773737, 0.45479733], [0.24311534, -0.17124268]], [[1.3768893, 1.4453449], [0.9126731, 1.0016456], [-0.054931577, -1.1647955]]]> : tensor<2x3x2xf32>
  %a1 = stablehlo.constant dense<[2.187781, -0.9575219, 2.229274]> : tensor<3xf32>
  %a2 = stablehlo.constant dense<[0.95811594, -0.5080782, 1.8432035]> : tensor<3xf32>
  %a3 = stablehlo.constant dense<[1.0350285, 0.6746258, 1.0700719]> : tensor<3xf32>
  %a4 = stablehlo.constant dense<[[[0.28055358, -0.0032468732], [1.8999822, 0.9361155], [-1.5599846, 1.5290973]], [[-2.3731782, 1.5408357], [-1.8859754, 7.6781353e-04], [0.81235313, -0.0077296277]]]> : tensor<2x3x2xf32>
  %r:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x2xf32>) -> (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2x3x2xf32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<3xf32>
  %r2 = stablehlo.optimization_barrier %r#2 : tensor<3xf32>
  %w0 = stablehlo.constant dense<[[[0.87751013, 0.34037837], [-2.0695195, -1.3691746], [-5.468675, 0.7472447]], [[-4.8125715, 3.5986063], [1.6541256, -0.5951161], [-0.67367905, -3.6136062]]]> : tensor<2x3x2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2x3x2xf32>, tensor<2x3x2xf32>) -> ()
  %w1 = stablehlo.constant dense<[0.044789933, -1.6285926, -2.0319097]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r1, %w1) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<3xf32>, tensor<3xf32>) -> ()
  %w2 = stablehlo.constant dense<[-0.5550357, 0.9508902, 0.77373624]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r2, %w2) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}
