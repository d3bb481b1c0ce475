// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[6146766623665605674, 5119424522392130815]> : tensor<2xui64>
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2xui64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<3x4xui32>
  %w0 = stablehlo.constant dense<[6146766623665605674, 5119424522392130818]> : tensor<2xui64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
  %w1 = stablehlo.constant dense<[[4064858346, 2752004674, 2899012569, 741537206], [2964793867, 3328160256, 551433724, 1863097221], [769983231, 2034788981, 2667372114, 3210826784]]> : tensor<3x4xui32>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<3x4xui32>, tensor<3x4xui32>) -> ()
  return
}
