// stage: run

// Functions of real numbers: special values are exact, others within two units in the last place.

func.func @abs() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.abs %x : tensor<11xf32>
  %want = stablehlo.constant dense<[0.0, 0.0, 1.0, 1.0, 0.5, 2.5, 3.0, 10.0, 0x7F800000, 0x7F800000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @cbrt() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.cbrt %x : tensor<11xf32>
  %want = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.7937005, -1.3572088, 1.4422495, 2.1544347, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @ceil() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.ceil %x : tensor<11xf32>
  %want = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 1.0, -2.0, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @cosine() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.cosine %x : tensor<11xf32>
  %want = stablehlo.constant dense<[1.0, 1.0, 0.5403023, 0.5403023, 0.87758255, -0.8011436, -0.9899925, -0.8390715, 0xFFC00000, 0xFFC00000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @exponential() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.exponential %x : tensor<11xf32>
  %want = stablehlo.constant dense<[1.0, 1.0, 2.7182817, 0.36787945, 1.6487212, 0.082085, 20.085537, 22026.465, 0x7F800000, 0.0, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @exponential_minus_one() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.exponential_minus_one %x : tensor<11xf32>
  %want = stablehlo.constant dense<[0.0, -0.0, 1.7182819, -0.63212055, 0.6487213, -0.917915, 19.085537, 22025.465, 0x7F800000, -1.0, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @floor() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.floor %x : tensor<11xf32>
  %want = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.0, -3.0, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @log() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.log %x : tensor<11xf32>
  %want = stablehlo.constant dense<[0xFF800000, 0xFF800000, 0.0, 0x7FC00000, -0.6931472, 0x7FC00000, 1.0986123, 2.3025851, 0x7F800000, 0x7FC00000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @log_plus_one() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.log_plus_one %x : tensor<11xf32>
  %want = stablehlo.constant dense<[0.0, -0.0, 0.6931472, 0xFF800000, 0.4054651, 0xFFC00000, 1.3862944, 2.3978953, 0x7F800000, 0xFFC00000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @logistic() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.logistic %x : tensor<11xf32>
  %want = stablehlo.constant dense<[0.5, 0.5, 0.7310586, 0.26894143, 0.62245935, 0.075858176, 0.95257413, 0.9999546, 1.0, 0.0, 0xFFC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @negate() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.negate %x : tensor<11xf32>
  %want = stablehlo.constant dense<[-0.0, 0.0, -1.0, 1.0, -0.5, 2.5, -3.0, -10.0, 0xFF800000, 0x7F800000, 0xFFC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @round_nearest_afz() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.round_nearest_afz %x : tensor<11xf32>
  %want = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 1.0, -3.0, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @round_nearest_even() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.round_nearest_even %x : tensor<11xf32>
  %want = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.0, -2.0, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @rsqrt() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.rsqrt %x : tensor<11xf32>
  %want = stablehlo.constant dense<[0x7F800000, 0xFF800000, 1.0, 0xFFC00000, 1.4142135, 0xFFC00000, 0.57735026, 0.31622776, 0.0, 0xFFC00000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @sign() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.sign %x : tensor<11xf32>
  %want = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 1.0, -1.0, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @sine() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.sine %x : tensor<11xf32>
  %want = stablehlo.constant dense<[0.0, -0.0, 0.84147096, -0.84147096, 0.47942555, -0.5984721, 0.14112, -0.5440211, 0xFFC00000, 0xFFC00000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @sqrt() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.sqrt %x : tensor<11xf32>
  %want = stablehlo.constant dense<[0.0, -0.0, 1.0, 0xFFC00000, 0.70710677, 0xFFC00000, 1.7320508, 3.1622777, 0x7F800000, 0xFFC00000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @tan() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.tan %x : tensor<11xf32>
  %want = stablehlo.constant dense<[0.0, -0.0, 1.5574077, -1.5574077, 0.5463025, 0.7470223, -0.14254655, 0.64836085, 0xFFC00000, 0xFFC00000, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @tanh() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.tanh %x : tensor<11xf32>
  %want = stablehlo.constant dense<[0.0, -0.0, 0.7615942, -0.7615942, 0.46211717, -0.9866143, 0.9950548, 1.0, 1.0, -1.0, 0x7FC00000]> : tensor<11xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<11xf32>, tensor<11xf32>
  return
}

func.func @add() {
  %x = stablehlo.constant dense<[1.0, -1.0, 0.0, 0x7FC00000, 1.0, 0x7F800000, 5.5, -5.5]> : tensor<8xf32>
  %y = stablehlo.constant dense<[0.0, 0.0, -0.0, 1.0, 0x7FC00000, 0x7F800000, 2.0, 2.0]> : tensor<8xf32>
  %r = stablehlo.add %x, %y : tensor<8xf32>
  %want = stablehlo.constant dense<[1.0, -1.0, 0.0, 0x7FC00000, 0x7FC00000, 0x7F800000, 7.5, -3.5]> : tensor<8xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<8xf32>, tensor<8xf32>
  return
}

func.func @subtract() {
  %x = stablehlo.constant dense<[1.0, -1.0, 0.0, 0x7FC00000, 1.0, 0x7F800000, 5.5, -5.5]> : tensor<8xf32>
  %y = stablehlo.constant dense<[0.0, 0.0, -0.0, 1.0, 0x7FC00000, 0x7F800000, 2.0, 2.0]> : tensor<8xf32>
  %r = stablehlo.subtract %x, %y : tensor<8xf32>
  %want = stablehlo.constant dense<[1.0, -1.0, 0.0, 0x7FC00000, 0x7FC00000, 0x7FC00000, 3.5, -7.5]> : tensor<8xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<8xf32>, tensor<8xf32>
  return
}

func.func @multiply() {
  %x = stablehlo.constant dense<[1.0, -1.0, 0.0, 0x7FC00000, 1.0, 0x7F800000, 5.5, -5.5]> : tensor<8xf32>
  %y = stablehlo.constant dense<[0.0, 0.0, -0.0, 1.0, 0x7FC00000, 0x7F800000, 2.0, 2.0]> : tensor<8xf32>
  %r = stablehlo.multiply %x, %y : tensor<8xf32>
  %want = stablehlo.constant dense<[0.0, -0.0, -0.0, 0x7FC00000, 0x7FC00000, 0x7F800000, 11.0, -11.0]> : tensor<8xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<8xf32>, tensor<8xf32>
  return
}

func.func @divide() {
  %x = stablehlo.constant dense<[1.0, -1.0, 0.0, 0x7FC00000, 1.0, 0x7F800000, 5.5, -5.5]> : tensor<8xf32>
  %y = stablehlo.constant dense<[0.0, 0.0, -0.0, 1.0, 0x7FC00000, 0x7F800000, 2.0, 2.0]> : tensor<8xf32>
  %r = stablehlo.divide %x, %y : tensor<8xf32>
  %want = stablehlo.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 2.75, -2.75]> : tensor<8xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<8xf32>, tensor<8xf32>
  return
}

func.func @remainder() {
  %x = stablehlo.constant dense<[1.0, -1.0, 0.0, 0x7FC00000, 1.0, 0x7F800000, 5.5, -5.5]> : tensor<8xf32>
  %y = stablehlo.constant dense<[0.0, 0.0, -0.0, 1.0, 0x7FC00000, 0x7F800000, 2.0, 2.0]> : tensor<8xf32>
  %r = stablehlo.remainder %x, %y : tensor<8xf32>
  %want = stablehlo.constant dense<[0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 1.5, -1.5]> : tensor<8xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<8xf32>, tensor<8xf32>
  return
}

func.func @maximum() {
  %x = stablehlo.constant dense<[1.0, -1.0, 0.0, 0x7FC00000, 1.0, 0x7F800000, 5.5, -5.5]> : tensor<8xf32>
  %y = stablehlo.constant dense<[0.0, 0.0, -0.0, 1.0, 0x7FC00000, 0x7F800000, 2.0, 2.0]> : tensor<8xf32>
  %r = stablehlo.maximum %x, %y : tensor<8xf32>
  %want = stablehlo.constant dense<[1.0, 0.0, 0.0, 0x7FC00000, 0x7FC00000, 0x7F800000, 5.5, 2.0]> : tensor<8xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<8xf32>, tensor<8xf32>
  return
}

func.func @minimum() {
  %x = stablehlo.constant dense<[1.0, -1.0, 0.0, 0x7FC00000, 1.0, 0x7F800000, 5.5, -5.5]> : tensor<8xf32>
  %y = stablehlo.constant dense<[0.0, 0.0, -0.0, 1.0, 0x7FC00000, 0x7F800000, 2.0, 2.0]> : tensor<8xf32>
  %r = stablehlo.minimum %x, %y : tensor<8xf32>
  %want = stablehlo.constant dense<[0.0, -1.0, -0.0, 0x7FC00000, 0x7FC00000, 0x7F800000, 2.0, -5.5]> : tensor<8xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<8xf32>, tensor<8xf32>
  return
}

func.func @power() {
  %x = stablehlo.constant dense<[1.0, -1.0, 0.0, 0x7FC00000, 1.0, 0x7F800000, 5.5, -5.5]> : tensor<8xf32>
  %y = stablehlo.constant dense<[0.0, 0.0, -0.0, 1.0, 0x7FC00000, 0x7F800000, 2.0, 2.0]> : tensor<8xf32>
  %r = stablehlo.power %x, %y : tensor<8xf32>
  %want = stablehlo.constant dense<[1.0, 1.0, 1.0, 0x7FC00000, 1.0, 0x7F800000, 30.25, 30.25]> : tensor<8xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<8xf32>, tensor<8xf32>
  return
}

func.func @atan2() {
  %x = stablehlo.constant dense<[1.0, -1.0, 0.0, 0x7FC00000, 1.0, 0x7F800000, 5.5, -5.5]> : tensor<8xf32>
  %y = stablehlo.constant dense<[0.0, 0.0, -0.0, 1.0, 0x7FC00000, 0x7F800000, 2.0, 2.0]> : tensor<8xf32>
  %r = stablehlo.atan2 %x, %y : tensor<8xf32>
  %want = stablehlo.constant dense<[1.5707964, -1.5707964, 3.1415927, 0x7FC00000, 0x7FC00000, 0.7853982, 1.2220253, -1.2220253]> : tensor<8xf32>
  check.expect_close %r, %want, max_ulp_difference = 2 : tensor<8xf32>, tensor<8xf32>
  return
}

func.func @zeros_are_ordered() {
  %x = stablehlo.constant dense<[0.0, -0.0]> : tensor<2xf32>
  %y = stablehlo.constant dense<[-0.0, 0.0]> : tensor<2xf32>
  %r = stablehlo.maximum %x, %y : tensor<2xf32>
  %s = stablehlo.minimum %x, %y : tensor<2xf32>
  check.expect_eq_const %r, dense<[0.0, 0.0]> : tensor<2xf32>
  check.expect_eq_const %s, dense<[-0.0, -0.0]> : tensor<2xf32>
  return
}

func.func @is_finite() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %r = stablehlo.is_finite %x : (tensor<11xf32>) -> tensor<11xi1>
  check.expect_eq_const %r, dense<[true, true, true, true, true, true, true, true, false, false, false]> : tensor<11xi1>
  return
}

func.func @clamp_with_scalar_bounds() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 10.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<11xf32>
  %low = stablehlo.constant dense<-1.5> : tensor<f32>
  %high = stablehlo.constant dense<2.0> : tensor<f32>
  %r = stablehlo.clamp %low, %x, %high : (tensor<f32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
  check.expect_eq_const %r, dense<[0.0, -0.0, 1.0, -1.0, 0.5, -1.5, 2.0, 2.0, 2.0, -1.5, 0x7FC00000]> : tensor<11xf32>
  return
}
