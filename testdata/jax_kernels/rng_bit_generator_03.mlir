// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[15224704899691258198, 18446744073709551614]> : tensor<2xui64>
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xi64>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2xui64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<3x4xi64>
  %w0 = stablehlo.constant dense<[15224704899691258198, 4]> : tensor<2xui64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
  %w1 = stablehlo.constant dense<[[-3176196295940021595, 8472347435524320642, 6832513120005601741, 4072275385372507052], [-8217672832608010142, 3133490818428098960, 7563421607753900669, 2462049968377733143], [-2471955727722749485, 2404997882227309457, 1279429280957717871, 4782341317792683854]]> : tensor<3x4xi64>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<3x4xi64>, tensor<3x4xi64>) -> ()
  return
}
