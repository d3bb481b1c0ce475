// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[1.306147, 1.4477621, 0.9362027, 0.03756911], [1.1006114, -0.3874278, 1.434464, -0.26745325]], [[-0.6738334, 1.8914286, -0.40388027, 0.17035349], [-1.0564166, -0.69238394, -0.3320342, -0.98154867]]]> : tensor<2x2x4xf32>
  %a1 = stablehlo.constant dense<[1.2281291, -0.71694535]> : tensor<2xf32>
  %a2 = stablehlo.constant dense<[0.71512604, -2.3180752]> : tensor<2xf32>
  %a3 = stablehlo.constant dense<[1.0615535, 1.5030477]> : tensor<2xf32>
  %a4 = stablehlo.constant dense<[[[-0.7606695, -0.2702305, -0.23171212, -2.2494705], [-0.87876993, 0.77856463, 1.4597834, -0.06399139]], [[-0.09288893, 0.5698699, 0.18409064, 0.5273473], [-0.8559692, 0.04198794, 0.5244702, 0.6162741]]]> : tensor<2x2x4xf32>
  %r:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<2x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2x4xf32>) -> (tensor<2x2x4xf32>, tensor<2xf32>, tensor<2xf32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2x2x4xf32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<2xf32>
  %r2 = stablehlo.optimization_barrier %r#2 : tensor<2xf32>
  %w0 = stablehlo.constant dense<[[[-0.6375808, -0.06796813, 0.03106543, -2.2796013], [-0.7569378, 1.3722405, 1.9946042, 0.35593063]], [[0.5456306, 0.75198877, 0.4461981, 0.37845477], [0.90316373, 0.46248814, 0.26384467, 0.05982769]]]> : tensor<2x2x4xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> ()
  %w1 = stablehlo.constant dense<[0.7190105, 3.8848727]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r1, %w1) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2xf32>, tensor<2xf32>) -> ()
  %w2 = stablehlo.constant dense<[-2.216496, 1.515182]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r2, %w2) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}
