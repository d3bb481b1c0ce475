// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[3831053199294776640, 18446744073709551614]> : tensor<2xui64>
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0x2xui32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2xui64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<0x2xui32>
  %w0 = stablehlo.constant dense<[3831053199294776640, 18446744073709551614]> : tensor<2xui64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
  %w1 = stablehlo.constant dense<> : tensor<0x2xui32>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<0x2xui32>, tensor<0x2xui32>) -> ()
  return
}
