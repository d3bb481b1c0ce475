// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-0.5054853, -0.049924962, -0.5750591, -0.1919252], [0.7097309, 0.68445903, 0.13810994, -1.1412632]]> : tensor<2x4xf32>
  %a1 = stablehlo.constant dense<[-0.49101543, 0.56378454]> : tensor<2xf32>
  %a2 = stablehlo.constant dense<[0.87019855, 1.0622659]> : tensor<2xf32>
  %a3 = stablehlo.constant dense<[-1.0611348, -0.46428886]> : tensor<2xf32>
  %a4 = stablehlo.constant dense<[1.7100385, 3.441435]> : tensor<2xf32>
  %r0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x4xf32>)
  %w0 = stablehlo.constant dense<[[0.6616217, 0.49061573, 0.68773794, 0.5439191], [1.4190091, 1.4113297, 1.2453136, 0.8565572]]> : tensor<2x4xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
  return
}
