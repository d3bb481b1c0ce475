// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[2848639753356677941, 18446744073709551614, 16046716528189581679]> : tensor<3xui64>
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x1x5xi32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<3xui64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<3x1x5xi32>
  %w0 = stablehlo.constant dense<[2848639753356677941, 2, 16046716528189581680]> : tensor<3xui64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
  %w1 = stablehlo.constant dense<[[[442170281, 1821764050, -949038366, -950276337, 191792195]], [[-1368226460, 442565777, -863504809, 359206199, -1766782244]], [[-2124023146, -1619996437, -1636606401, 683944986, 1746432067]]]> : tensor<3x1x5xi32>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<3x1x5xi32>, tensor<3x1x5xi32>) -> ()
  return
}
