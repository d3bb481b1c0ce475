// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-0.6391334788326044, -0.9209922669067796, 2.689817035752987], [0.9153299667155719, -0.4225366333414862, 0.8260637158803315], [1.103815210183274, 0.2226317431058629, -0.40422431886160803], [0.9829712051107035, 0.7585139064630774, 0.6870135440031627]]> : tensor<4x3xf64>
  %a1 = stablehlo.constant dense<[-1.6809573495612704, 0.437652243575086, 2.064340426833536, -1.0951233065390136]> : tensor<4xf64>
  %a2 = stablehlo.constant dense<[2.0263060078682673, -0.31153174394707567, 1.6071263606382622, -0.9615935654761598]> : tensor<4xf64>
  %a3 = stablehlo.constant dense<[1.132692541900814, 0.5570619555901404, 0.9270424473145744, 0.7808610656972681]> : tensor<4xf64>
  %a4 = stablehlo.constant dense<[[1.3485926337443703, 0.39930443323616316, 0.6689755211115095], [0.08798614049546352, 0.493971166078134, 0.4210954798022702], [0.8429967237919123, -0.11103519706743978, -0.5838232586078338], [-0.454967678344045, -0.47421768002656817, 0.563079973066947]]> : tensor<4x3xf64>
  %r:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<4x3xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<4xf64>, tensor<4xf64>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<4x3xf64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<4xf64>
  %r2 = stablehlo.optimization_barrier %r#2 : tensor<4xf64>
  %w0 = stablehlo.constant dense<[[4.497153911091933, 6.562028028024888, -1.117134470826703], [-0.3727952718247044, 0.11418479023952367, -0.16101963054016327], [2.0507107167863183, 0.6192577184577561, 0.04215012359218005], [-0.38044632645307436, -0.26509541400115644, -1.520644920885584]]> : tensor<4x3xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 1.000000e-09 : f64} : (tensor<4x3xf64>, tensor<4x3xf64>) -> ()
  %w1 = stablehlo.constant dense<[-4.064417683236632, 0.7123489547128264, 0.9380927670435791, -0.8732147183902675]> : tensor<4xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r1, %w1) {has_side_effect = true, tolerance = 1.000000e-09 : f64} : (tensor<4xf64>, tensor<4xf64>) -> ()
  %w2 = stablehlo.constant dense<[2.416872588092043, 1.0030527863758678, 0.14813826811663866, -0.3661053853036661]> : tensor<4xf64>
  stablehlo.custom_call @check.expect_almost_eq(%r2, %w2) {has_side_effect = true, tolerance = 1.000000e-09 : f64} : (tensor<4xf64>, tensor<4xf64>) -> ()
  return
}
