// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-1.4318522, 0.27560264, -1.7106551], [-0.47466275, -0.9270393, -0.6123706]]> : tensor<2x3xf32>
  %a1 = stablehlo.constant dense<[1.5815339, -0.54315156]> : tensor<2xf32>
  %a2 = stablehlo.constant dense<[1.0707047, -1.7027355]> : tensor<2xf32>
  %a3 = stablehlo.constant dense<[2.1249056, 1.2651278]> : tensor<2xf32>
  %a4 = stablehlo.constant dense<[[-0.9954612, 0.12628773, 0.671297], [2.705319, 0.8947399, -0.59647053]]> : tensor<2x3xf32>
  %r:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2x3xf32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<2xf32>
  %r2 = stablehlo.optimization_barrier %r#2 : tensor<2xf32>
  %w0 = stablehlo.constant dense<[[-0.78533876, 0.27934256, 1.0474122], [-0.29727158, 0.38319722, 1.2376149]]> : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %w1 = stablehlo.constant dense<[0.35915694, 2.99141]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r1, %w1) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2xf32>, tensor<2xf32>) -> ()
  %w2 = stablehlo.constant dense<[-0.19787651, 3.0035882]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r2, %w2) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}
