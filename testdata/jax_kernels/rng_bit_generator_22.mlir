// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[12448704472387248420, 12614459484758166096]> : tensor<2xui64>
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x1x5xui64>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2xui64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<3x1x5xui64>
  %w0 = stablehlo.constant dense<[12448704472387248420, 12614459484758166104]> : tensor<2xui64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
  %w1 = stablehlo.constant dense<[[[18438646628527760364, 15070160400276136582, 2875902700102511150, 10095629611982713980, 10820579192345774438]], [[1081461347469672311, 10292349960252880569, 15995045572484193215, 7264539436012308943, 10270682943387485245]], [[9868906869890871093, 6755585613406206146, 14412552951634709091, 16027382802274926458, 7780751180547746133]]]> : tensor<3x1x5xui64>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<3x1x5xui64>, tensor<3x1x5xui64>) -> ()
  return
}
