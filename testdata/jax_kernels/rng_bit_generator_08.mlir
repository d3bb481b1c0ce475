// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[5209978808974498702, 11176236521104670798, 6156867514002343030]> : tensor<3xui64>
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x1x5xui64>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<3xui64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<3x1x5xui64>
  %w0 = stablehlo.constant dense<[5209978808974498702, 11176236521104670806, 6156867514002343030]> : tensor<3xui64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
  %w1 = stablehlo.constant dense<[[[4305636079507320039, 14185071528952570810, 12580133842909161077, 8615872200658464495, 5352223866900506941]], [[7657912420623800047, 5504841471313819896, 13980340133131922611, 667339938779217424, 16657192789702155055]], [[12871935502727739072, 2197240972250081392, 8994092936167088948, 11730832967112675469, 17326193013843968154]]]> : tensor<3x1x5xui64>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<3x1x5xui64>, tensor<3x1x5xui64>) -> ()
  return
}
