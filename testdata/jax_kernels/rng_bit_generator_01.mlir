// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[9459575519222104034, 2507274149966229619]> : tensor<2xui64>
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui64>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2xui64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<3x4xui64>
  %w0 = stablehlo.constant dense<[9459575519222104034, 2507274149966229625]> : tensor<2xui64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
  %w1 = stablehlo.constant dense<[[6954796663114718979, 17230412561608745443, 14380938867347099875, 2029206827963931297], [8871537870406325384, 2650728196939259326, 13937627242448182663, 4802833711270720825], [1498748621088340975, 9327104806561465341, 15212821411748758000, 11405018572079326315]]> : tensor<3x4xui64>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<3x4xui64>, tensor<3x4xui64>) -> ()
  return
}
