// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[0.65610486, 1.143453], [-0.452611, 0.43048576], [0.25093257, -0.39435205], [-0.8624049, -2.0325525]], [[1.4104235, -0.047632236], [2.5223274, 0.82621825], [0.27778053, -0.65743107], [1.3924692, -0.5062891]], [[1.5699492, -0.3983613], [0.18595393, -1.5226704], [2.3432324, -0.09402583], [-0.3851136, 0.81084764]], [[-0.89137185, 0.7676073], [-1.1712404, 0.5452418], [-1.0441263, -1.8370681], [-0.5937676, -1.4639144]]]> : tensor<4x4x2xf32>
  %a1 = stablehlo.constant dense<[0.5532782, 0.021671116, 0.5094465, 0.09130283]> : tensor<4xf32>
  %a2 = stablehlo.constant dense<[-0.76204723, -0.9699016, -0.22172613, -0.7497393]> : tensor<4xf32>
  %a3 = stablehlo.constant dense<[2.3806324, 1.6785644, 1.5815996, 0.80589235]> : tensor<4xf32>
  %a4 = stablehlo.constant dense<[[[0.65001374, -0.26809806], [-0.95790815, -0.8069004], [-0.35079202, 0.97336274], [-0.977982, -0.09132774]], [[-0.6130539, 0.32462004], [0.3971358, -1.4652455], [2.3868623, 0.1896034], [-0.5093322, -0.89399046]], [[-0.25951025, 0.03181673], [0.5951584, 0.0056210747], [0.48394892, -1.6099513], [-0.75238407, -1.0065576]], [[0.1645868, 0.45799908], [-1.4660863, -0.16792867], [0.7254607, 0.915078], [-1.1153915, 0.56292295]]]> : tensor<4x4x2xf32>
  %r:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<4x4x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4x2xf32>) -> (tensor<4x4x2xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<4x4x2xf32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<4xf32>
  %r2 = stablehlo.optimization_barrier %r#2 : tensor<4xf32>
  %w0 = stablehlo.constant dense<[[[0.3318701, 0.008500266], [-0.2577561, -0.19313286], [-0.03174339, 0.43532348], [-0.26981825, 0.034166887]], [[-0.0069496697, 0.0069423066], [0.011305742, -0.021916093], [0.041825667, 0.0039369557], [-0.0052372687, -0.013997376]], [[0.028704042, 0.13937995], [0.3696784, 0.12460186], [0.3326439, -0.52434313], [-0.17814155, -0.27663627]], [[0.014166486, 0.062599964], [-0.15471914, -0.0035155343], [0.06946167, 0.079839766], [-0.11259554, 0.048231754]]]> : tensor<4x4x2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<4x4x2xf32>, tensor<4x4x2xf32>) -> ()
  %w1 = stablehlo.constant dense<[-0.4088592, -0.76016116, -0.092172004, -0.7931081]> : tensor<4xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r1, %w1) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<4xf32>, tensor<4xf32>) -> ()
  %w2 = stablehlo.constant dense<[-1.8296319, -0.18340063, -2.511858, 0.07664108]> : tensor<4xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r2, %w2) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}
