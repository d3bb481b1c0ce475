// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-1.4318522, 0.27560264, -1.7106551], [-0.47466275, -0.9270393, -0.6123706]]> : tensor<2x3xf32>
  %a1 = stablehlo.constant dense<[1.5815339, -0.54315156]> : tensor<2xf32>
  %a2 = stablehlo.constant dense<[-0.500561, 0.12262228]> : tensor<2xf32>
  %a3 = stablehlo.constant dense<[1.0707047, -1.7027355]> : tensor<2xf32>
  %a4 = stablehlo.constant dense<[2.1249056, 1.2651278]> : tensor<2xf32>
  %r0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x3xf32>)
  %w0 = stablehlo.constant dense<[[-3.215065, -1.3630021, -3.5174804], [-0.47017527, -0.25181058, -0.4037029]]> : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  return
}
