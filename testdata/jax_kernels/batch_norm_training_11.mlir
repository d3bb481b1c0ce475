// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-0.6391334788326044, -0.9209922669067796, 2.689817035752987], [0.9153299667155719, -0.4225366333414862, 0.8260637158803315], [1.103815210183274, 0.2226317431058629, -0.40422431886160803], [0.9829712051107035, 0.7585139064630774, 0.6870135440031627]]> : tensor<4x3xf64>
  %a1 = stablehlo.constant dense<[-1.6809573495612704, 0.437652243575086, 2.064340426833536, -1.0951233065390136]> : tensor<4xf64>
  %a2 = stablehlo.constant dense<[-0.41381958036577565, -0.7998445796585032, -0.5147067626359284, -0.15802723037074365]> : tensor<4xf64>
  %r:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<4x3xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4x3xf64>, tensor<4xf64>, tensor<4xf64>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<4x3xf64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<4xf64>
  %r2 = stablehlo.optimization_barrier %r#2 : tensor<4xf64>
  %w0 = stablehlo.constant dense<[[0.6272028291907034, 0.9160894211131413, -2.7847509914011717], [-0.4594006100509709, -1.4168488584967573, -0.5232842704277814], [2.1396779131831347, -0.7972600311505506, -2.886538169940369], [-1.6194321876698523, 0.27149928612902624, 0.8738512104285943]]> : tensor<4x3xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 1.000000e-09 : f64} : (tensor<4x3xf64>, tensor<4x3xf64>) -> ()
  %w1 = stablehlo.constant dense<[0.3765637633378676, 0.43961901641813905, 0.3074075448091763, 0.8094995518589811]> : tensor<4xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r1, %w1) {has_side_effect = true, tolerance = 1.000000e-09 : f64} : (tensor<4xf64>, tensor<4xf64>) -> ()
  %w2 = stablehlo.constant dense<[2.6888110805720693, 0.37298425946258407, 0.382624005137538, 0.01589825754625936]> : tensor<4xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r2, %w2) {has_side_effect = true, tolerance = 1.000000e-09 : f64} : (tensor<4xf64>, tensor<4xf64>) -> ()
  return
}
