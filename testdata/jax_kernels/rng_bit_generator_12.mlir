// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[6262956925387603755, 18446744073709551614, 8430519663037814346]> : tensor<3xui64>
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<i16>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<3xui64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<i16>
  %w0 = stablehlo.constant dense<[6262956925387603755, 18446744073709551615, 8430519663037814346]> : tensor<3xui64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
  %w1 = stablehlo.constant dense<27518> : tensor<i16>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<i16>, tensor<i16>) -> ()
  return
}
