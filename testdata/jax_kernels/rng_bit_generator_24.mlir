// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[3183921024615143459, 5521727551560496986]> : tensor<2xui64>
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xi64>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2xui64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<3x4xi64>
  %w0 = stablehlo.constant dense<[3183921024615143459, 5521727551560496992]> : tensor<2xui64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
  %w1 = stablehlo.constant dense<[[-4961880898565552475, 53023517190318827, 2726234970429237823, 8126592994961886715], [-4955960031681924102, 3977326304587259374, -7535758058807332721, 5839096341335898763], [-8079201368046749474, 4712394252209763949, 3830026658380524960, -8913875977427677456]]> : tensor<3x4xi64>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<3x4xi64>, tensor<3x4xi64>) -> ()
  return
}
