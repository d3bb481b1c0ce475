// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[7061868649327496439, 11973395241155794545, 15450324327260278308]> : tensor<3xui64>
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<1xui8>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<3xui64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<1xui8>
  %w0 = stablehlo.constant dense<[7061868649327496439, 11973395241155794546, 15450324327260278308]> : tensor<3xui64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
  %w1 = stablehlo.constant dense<[136]> : tensor<1xui8>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<1xui8>, tensor<1xui8>) -> ()
  return
}
