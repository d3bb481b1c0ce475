// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[16722503959473424534, 4171075089365782353]> : tensor<2xui64>
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xf32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2xui64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<7xf32>
  %w0 = stablehlo.constant dense<[16722503959473424534, 4171075089365782355]> : tensor<2xui64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
  %w1 = stablehlo.constant dense<[-348399.1, 2.5475316e-31, 2.883487e+11, -1.6792252e-06, 5.5734937e+25, 1.3498266e-06, 1.9450554e-28]> : tensor<7xf32>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<7xf32>, tensor<7xf32>) -> ()
  return
}
