// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[1.306147, 1.4477621, 0.9362027, 0.03756911], [1.1006114, -0.3874278, 1.434464, -0.26745325]], [[-0.6738334, 1.8914286, -0.40388027, 0.17035349], [-1.0564166, -0.69238394, -0.3320342, -0.98154867]]]> : tensor<2x2x4xf32>
  %a1 = stablehlo.constant dense<[1.2281291, -0.71694535]> : tensor<2xf32>
  %a2 = stablehlo.constant dense<[-1.248358, 1.122086]> : tensor<2xf32>
  %a3 = stablehlo.constant dense<[0.71512604, -2.3180752]> : tensor<2xf32>
  %a4 = stablehlo.constant dense<[1.0615535, 1.5030477]> : tensor<2xf32>
  %r0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<2x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2x4xf32>)
  %w0 = stablehlo.constant dense<[[[-0.5441977, -0.3754731, -0.9849605, -2.0556197], [-0.78907895, -2.5619738, -0.39131695, -2.4190326]], [[0.16087016, -1.3387697, 0.0030568813, -0.33263743], [0.38452652, 0.17171475, -0.038943987, 0.34075907]]]> : tensor<2x2x4xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> ()
  return
}
