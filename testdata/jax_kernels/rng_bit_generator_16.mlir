// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[8427234664869560872, 18446744073709551614]> : tensor<2xui64>
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xi32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2xui64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<3x4xi32>
  %w0 = stablehlo.constant dense<[8427234664869560872, 4]> : tensor<2xui64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
  %w1 = stablehlo.constant dense<[[1589023258, 885220367, 1913374684, -1680706794], [-43464768, -104909519, 1126032702, -1075743017], [562451382, 439725263, 796438360, -930259665]]> : tensor<3x4xi32>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<3x4xi32>, tensor<3x4xi32>) -> ()
  return
}
