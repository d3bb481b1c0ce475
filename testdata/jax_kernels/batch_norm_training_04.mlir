// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[1.306147, 1.4477621, 0.9362027, 0.03756911], [1.1006114, -0.3874278, 1.434464, -0.26745325]], [[-0.6738334, 1.8914286, -0.40388027, 0.17035349], [-1.0564166, -0.69238394, -0.3320342, -0.98154867]]]> : tensor<2x2x4xf32>
  %a1 = stablehlo.constant dense<[1.2281291, -0.71694535]> : tensor<2xf32>
  %a2 = stablehlo.constant dense<[-1.248358, 1.122086]> : tensor<2xf32>
  %r:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<2x2x4xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2x4xf32>, tensor<2xf32>, tensor<2xf32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2x2x4xf32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<2xf32>
  %r2 = stablehlo.optimization_barrier %r#2 : tensor<2xf32>
  %w0 = stablehlo.constant dense<[[[-0.22837786, 0.010309486, -0.8519059, -2.3665211], [-0.5748008, -3.0828385, -0.012104151, -2.8806255]], [[1.4549904, -0.60756063, 1.2379397, 0.7762377], [1.7625993, 1.4699056, 1.1801732, 1.7024031]]]> : tensor<2x2x4xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> ()
  %w1 = stablehlo.constant dense<[0.7009844, -0.25978935]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r1, %w1) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2xf32>, tensor<2xf32>) -> ()
  %w2 = stablehlo.constant dense<[0.52994406, 0.79410815]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r2, %w2) {has_side_effect = true, tolerance = 3.000000e-05 : f64} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}
