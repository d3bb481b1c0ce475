// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[0.16776459156804266, -0.8831370519193222, 0.9101909800621757, -0.9255862118585839], [-0.8684140996903267, -0.41599502742445943, -0.15656245830501786, 0.8995461847829402]]> : tensor<2x4xf64>
  %a1 = stablehlo.constant dense<[-0.3542036586491217, -1.8182783295417286]> : tensor<2xf64>
  %a2 = stablehlo.constant dense<[-0.12030255183829182, -0.12083255736775278]> : tensor<2xf64>
  %a3 = stablehlo.constant dense<[1.718698598303717, 0.8888740063082505]> : tensor<2xf64>
  %a4 = stablehlo.constant dense<[[0.579219446735168, 0.5965623537730594, -0.8331545489807659, -0.7245643261728645], [-0.9692384372256466, 0.934443124750926, -0.7483100372091145, -0.2719105659195925]]> : tensor<2x4xf64>
  %r:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<2x4xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2x4xf64>) -> (tensor<2x4xf64>, tensor<2xf64>, tensor<2xf64>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2x4xf64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<2xf64>
  %r2 = stablehlo.optimization_barrier %r#2 : tensor<2xf64>
  %w0 = stablehlo.constant dense<[[-0.1886100818488996, -0.1700499326252518, 0.1764526994363634, 0.1877271819757585], [1.2796482496448585, -2.341190331823682, 0.9301534458607064, 0.1251579062880748]]> : tensor<2x4xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 1.000000e-09 : f64} : (tensor<2x4xf64>, tensor<2x4xf64>) -> ()
  %w1 = stablehlo.constant dense<[-0.42955353231312504, 0.20995539956009068]> : tensor<2xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r1, %w1) {has_side_effect = true, tolerance = 1.000000e-09 : f64} : (tensor<2xf64>, tensor<2xf64>) -> ()
  %w2 = stablehlo.constant dense<[-0.38193707464540294, -1.0550159156034278]> : tensor<2xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r2, %w2) {has_side_effect = true, tolerance = 1.000000e-09 : f64} : (tensor<2xf64>, tensor<2xf64>) -> ()
  return
}
