// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[4832734385136762017, 18446744073709551614, 2523314432613690911]> : tensor<3xui64>
  %r:2 = "stablehlo.rng_bit_generator"(%a0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<7xi64>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<3xui64>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<7xi64>
  %w0 = stablehlo.constant dense<[4832734385136762017, 2, 2523314432613690912]> : tensor<3xui64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()
  %w1 = stablehlo.constant dense<[-1657341310568616283, -6006349143991239404, -7986459627510747143, 7350861048758918019, -6403702329563292005, -7027667656853474732, -261107981754506750]> : tensor<7xi64>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<7xi64>, tensor<7xi64>) -> ()
  return
}
