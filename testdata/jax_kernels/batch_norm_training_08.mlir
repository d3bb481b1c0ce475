// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[0.16776459156804266, -0.8831370519193222, 0.9101909800621757, -0.9255862118585839], [-0.8684140996903267, -0.41599502742445943, -0.15656245830501786, 0.8995461847829402]]> : tensor<2x4xf64>
  %a1 = stablehlo.constant dense<[-0.3542036586491217, -1.8182783295417286]> : tensor<2xf64>
  %a2 = stablehlo.constant dense<[-0.5671862827665497, 0.3142883463828876]> : tensor<2xf64>
  %r:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<2x4xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x4xf64>, tensor<2xf64>, tensor<2xf64>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2x4xf64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<2xf64>
  %r2 = stablehlo.optimization_barrier %r#2 : tensor<2xf64>
  %w0 = stablehlo.constant dense<[[-0.7286661619444293, -0.24444211888601883, -1.0707540345229687, -0.22488281571278182], [2.363935518834748, 1.0989608659835073, 0.3735811369270883, -2.579324136213793]]> : tensor<2x4xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 1.000000e-09 : f64} : (tensor<2x4xf64>, tensor<2x4xf64>) -> ()
  %w1 = stablehlo.constant dense<[-0.18269192303692194, -0.13535635015921593]> : tensor<2xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r1, %w1) {has_side_effect = true, tolerance = 1.000000e-09 : f64} : (tensor<2xf64>, tensor<2xf64>) -> ()
  %w2 = stablehlo.constant dense<[0.5899320278635742, 0.4219011717942986]> : tensor<2xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r2, %w2) {has_side_effect = true, tolerance = 1.000000e-09 : f64} : (tensor<2xf64>, tensor<2xf64>) -> ()
  return
}
