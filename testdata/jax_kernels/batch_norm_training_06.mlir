// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-1.4318522, 0.27560264, -1.7106551], [-0.47466275, -0.9270393, -0.6123706]]> : tensor<2x3xf32>
  %a1 = stablehlo.constant dense<[1.5815339, -0.54315156]> : tensor<2xf32>
  %a2 = stablehlo.constant dense<[-0.500561, 0.12262228]> : tensor<2xf32>
  %r:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2x3xf32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<2xf32>
  %r2 = stablehlo.optimization_barrier %r#2 : tensor<2xf32>
  %w0 = stablehlo.constant dense<[[-1.3577868, 1.7157567, -1.8596523], [-0.4339377, 0.84608936, -0.044284925]]> : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %w1 = stablehlo.constant dense<[-0.95563495, -0.6713576]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r1, %w1) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2xf32>, tensor<2xf32>) -> ()
  %w2 = stablehlo.constant dense<[0.770928, 0.035847154]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r2, %w2) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}
