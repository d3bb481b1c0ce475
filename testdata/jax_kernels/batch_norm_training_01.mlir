// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[1.963024, -1.1187183], [-0.2773737, 0.45479733], [0.24311534, -0.17124268]], [[1.3768893, 1.4453449], [0.9126731, 1.0016456], [-0.054931577, -1.1647955]]]> : tensor<2x3x2xf32>
  %a1 = stablehlo.constant dense<[2.187781, -0.9575219, 2.229274]> : tensor<3xf32>
  %a2 = stablehlo.constant dense<[-0.12710595, 0.23181231, -0.16915318]> : tensor<3xf32>
  %r:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2x3x2xf32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<3xf32>
  %r2 = stablehlo.optimization_barrier %r#2 : tensor<3xf32>
  %w0 = stablehlo.constant dense<[[[1.7851127, -3.8466024], [1.741811, 0.36037344], [2.0612445, 0.31776235]], [[0.7139836, 0.8390825], [-0.5035324, -0.6714028], [0.8071612, -3.8627808]]]> : tensor<2x3x2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2x3x2xf32>, tensor<2x3x2xf32>) -> ()
  %w1 = stablehlo.constant dense<[0.91663504, 0.52293557, -0.2869636]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r1, %w1) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<3xf32>, tensor<3xf32>) -> ()
  %w2 = stablehlo.constant dense<[1.4322402, 0.2565491, 0.2797007]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r2, %w2) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}
