// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-0.5054853, -0.049924962, -0.5750591, -0.1919252], [0.7097309, 0.68445903, 0.13810994, -1.1412632]]> : tensor<2x4xf32>
  %a1 = stablehlo.constant dense<[-0.49101543, 0.56378454]> : tensor<2xf32>
  %a2 = stablehlo.constant dense<[0.87019855, 1.0622659]> : tensor<2xf32>
  %r:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2x4xf32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<2xf32>
  %r2 = stablehlo.optimization_barrier %r#2 : tensor<2xf32>
  %w0 = stablehlo.constant dense<[[1.2617879, 0.24174124, 1.417571, 0.5596944], [1.5213215, 1.5023645, 1.0925341, 0.13284342]]> : tensor<2x4xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
  %w1 = stablehlo.constant dense<[-0.33059862, 0.09775916]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r1, %w1) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2xf32>, tensor<2xf32>) -> ()
  %w2 = stablehlo.constant dense<[0.047088586, 0.56388277]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r2, %w2) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}
