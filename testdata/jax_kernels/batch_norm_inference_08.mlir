// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[0.16776459156804266, -0.8831370519193222, 0.9101909800621757, -0.9255862118585839], [-0.8684140996903267, -0.41599502742445943, -0.15656245830501786, 0.8995461847829402]]> : tensor<2x4xf64>
  %a1 = stablehlo.constant dense<[-0.3542036586491217, -1.8182783295417286]> : tensor<2xf64>
  %a2 = stablehlo.constant dense<[-0.5671862827665497, 0.3142883463828876]> : tensor<2xf64>
  %a3 = stablehlo.constant dense<[-0.12030255183829182, -0.12083255736775278]> : tensor<2xf64>
  %a4 = stablehlo.constant dense<[1.718698598303717, 0.8888740063082505]> : tensor<2xf64>
  %r0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<2x4xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x4xf64>)
  %w0 = stablehlo.constant dense<[[-0.644993628466085, -0.36114359786508327, -0.8455240533626796, -0.349678019309357], [1.7552574613496876, 0.8832162548056265, 0.38315800248952103, -1.6524994483502606]]> : tensor<2x4xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 1.000000e-09 : f64} : (tensor<2x4xf64>, tensor<2x4xf64>) -> ()
  return
}
