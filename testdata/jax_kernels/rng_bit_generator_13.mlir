// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[10592444923563316512, 6885601836871088714, 11692008620662913260]> : tensor<3xui64>
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<7xf32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<3xui64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<7xf32>
  %w0 = stablehlo.constant dense<[10592444923563316512, 6885601836871088716, 11692008620662913260]> : tensor<3xui64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
  %w1 = stablehlo.constant dense<[-6.686972e+21, -2.977634e-33, -4.9720308e+07, 4.2608122e-27, -8.940749e+21, 9.785341e-14, 3.6379926e-35]> : tensor<7xf32>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<7xf32>, tensor<7xf32>) -> ()
  return
}
