// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[2674680029534176947, 18446744073709551614]> : tensor<2xui64>
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xi16>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2xui64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<1xi16>
  %w0 = stablehlo.constant dense<[2674680029534176947, 18446744073709551615]> : tensor<2xui64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
  %w1 = stablehlo.constant dense<[-20928]> : tensor<1xi16>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<1xi16>, tensor<1xi16>) -> ()
  return
}
