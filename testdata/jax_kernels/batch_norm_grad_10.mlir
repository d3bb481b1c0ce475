// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[1.2305697, -2.0242558, 0.37333998], [1.1803079, -0.64187783, -0.032671217], [0.8699657, -1.747874, 0.3046529], [-1.086809, 0.23813528, 0.3787956]], [[0.24831189, -1.0090396, 0.010958106], [-0.6304613, 0.30915397, -0.3722356], [-0.8407726, 0.94184166, -1.217243], [-0.5040626, 1.0894241, 0.3658677]], [[0.8738739, -0.99606895, 0.17471479], [-0.88019323, -1.7708426, 0.5835205], [-1.0318788, 0.110515, -0.9551837], [0.5489812, 0.5707036, -1.0202991]]]> : tensor<3x4x3xf32>
  %a1 = stablehlo.constant dense<[-1.0243535, -2.665915, -0.47885853]> : tensor<3xf32>
  %a2 = stablehlo.constant dense<[-0.09466218, -0.008360845, -0.6387479]> : tensor<3xf32>
  %a3 = stablehlo.constant dense<[2.022715, 0.5461277, 1.3348999]> : tensor<3xf32>
  %a4 = stablehlo.constant dense<[[[1.2036135, 0.16501677, -1.2734566], [-0.34765074, 0.14220138, -1.1172414], [-0.38820568, -0.65931904, -0.8246258], [-1.0405005, 0.29847285, 0.5292525]], [[1.2188361, -0.277283, 0.05179722], [-1.7435489, 0.27085474, 1.3580356], [-0.7920867, 0.4861161, -0.53377485], [0.50980544, 0.7165833, -1.4609829]], [[-0.9112497, -0.7579106, -0.21548864], [1.3008281, 0.031143682, 0.12405484], [0.1808629, -0.66190493, 1.0743618], [0.50751, 0.77775353, 0.25003132]]]> : tensor<3x4x3xf32>
  %r:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<3x4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x4x3xf32>) -> (tensor<3x4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<3x4x3xf32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<3xf32>
  %r2 = stablehlo.optimization_barrier %r#2 : tensor<3xf32>
  %w0 = stablehlo.constant dense<[[[-0.81418693, -4.280723, 0.3675759], [0.30015516, -1.56136, 0.33882317], [0.31282243, -0.78245133, 0.18770792], [0.67826307, -0.44580233, -0.37977895]], [[-0.87748337, -0.7499051, -0.14938055], [1.2088221, -0.21078189, -0.65661514], [0.5124965, 0.22035035, 0.20202969], [-0.407018, -0.3287465, 0.445931]], [[0.68965936, 1.0070893, -0.05314965], [-0.99665076, -3.3147943, -0.23003982], [-0.19827837, 2.7720778, -0.487445], [-0.34925845, -1.5387647, -0.1401522]]]> : tensor<3x4x3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<3x4x3xf32>, tensor<3x4x3xf32>) -> ()
  %w1 = stablehlo.constant dense<[1.2631317, 4.698171, -2.965694]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r1, %w1) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<3xf32>, tensor<3xf32>) -> ()
  %w2 = stablehlo.constant dense<[-0.30178624, 0.5317248, -2.0380368]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r2, %w2) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}
