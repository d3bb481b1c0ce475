// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-0.5054853, -0.049924962, -0.5750591, -0.1919252], [0.7097309, 0.68445903, 0.13810994, -1.1412632]]> : tensor<2x4xf32>
  %a1 = stablehlo.constant dense<[-0.49101543, 0.56378454]> : tensor<2xf32>
  %a2 = stablehlo.constant dense<[-1.0611348, -0.46428886]> : tensor<2xf32>
  %a3 = stablehlo.constant dense<[1.7100385, 3.441435]> : tensor<2xf32>
  %a4 = stablehlo.constant dense<[[-1.0919776, -1.7709385, 1.3937793, 0.47417518], [-0.6412958, 0.06752411, 0.41567257, 1.7516674]]> : tensor<2x4xf32>
  %r:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2x4xf32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<2xf32>
  %r2 = stablehlo.optimization_barrier %r#2 : tensor<2xf32>
  %w0 = stablehlo.constant dense<[[0.27667138, 0.49885732, -0.65142864, -0.33371586], [-0.2741933, -0.059706233, 0.026663523, 0.3871492]]> : tensor<2x4xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
  %w1 = stablehlo.constant dense<[-0.9998781, -0.86815596]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r1, %w1) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2xf32>, tensor<2xf32>) -> ()
  %w2 = stablehlo.constant dense<[-0.9949615, 1.5935683]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r2, %w2) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}
