// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[0.65610486, 1.143453], [-0.452611, 0.43048576], [0.25093257, -0.39435205], [-0.8624049, -2.0325525]], [[1.4104235, -0.047632236], [2.5223274, 0.82621825], [0.27778053, -0.65743107], [1.3924692, -0.5062891]], [[1.5699492, -0.3983613], [0.18595393, -1.5226704], [2.3432324, -0.09402583], [-0.3851136, 0.81084764]], [[-0.89137185, 0.7676073], [-1.1712404, 0.5452418], [-1.0441263, -1.8370681], [-0.5937676, -1.4639144]]]> : tensor<4x4x2xf32>
  %a1 = stablehlo.constant dense<[0.5532782, 0.021671116, 0.5094465, 0.09130283]> : tensor<4xf32>
  %a2 = stablehlo.constant dense<[-0.35385904, 0.02812934, 1.052489, -0.18313083]> : tensor<4xf32>
  %r:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<4x4x2xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x4x2xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<4x4x2xf32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<4xf32>
  %r2 = stablehlo.optimization_barrier %r#2 : tensor<4xf32>
  %w0 = stablehlo.constant dense<[[[0.1263831, 0.4140058], [-0.5279577, -0.006772533], [-0.112741046, -0.4935745], [-0.7698095, -1.4604061]], [[0.04421622, 0.013279961], [0.06780801, 0.03182086], [0.020184398, 3.4156992e-04], [0.043835275, 0.0035484224]], [[1.6110412, 0.73587465], [0.9956777, 0.23597503], [1.9548649, 0.87119085], [0.7417649, 1.2735232]], [[-0.20217603, -0.026929177], [-0.23174004, -0.05041885], [-0.2183123, -0.30207497], [-0.1707385, -0.26265675]]]> : tensor<4x4x2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<4x4x2xf32>, tensor<4x4x2xf32>) -> ()
  %w1 = stablehlo.constant dense<[-0.15761802, 0.6522333, 0.3137265, -0.71107996]> : tensor<4xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r1, %w1) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<4xf32>, tensor<4xf32>) -> ()
  %w2 = stablehlo.constant dense<[0.8778598, 1.0422183, 1.3118132, 0.7460504]> : tensor<4xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r2, %w2) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}
