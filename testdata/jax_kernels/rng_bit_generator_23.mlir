// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[8566161944628128185, 18446744073709551614]> : tensor<2xui64>
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xi32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2xui64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<7xi32>
  %w0 = stablehlo.constant dense<[8566161944628128185, 0]> : tensor<2xui64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
  %w1 = stablehlo.constant dense<[1095581820, 1568866900, 1304359584, 835520776, -1079808804, 1495530815, -1811979167]> : tensor<7xi32>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<7xi32>, tensor<7xi32>) -> ()
  return
}
