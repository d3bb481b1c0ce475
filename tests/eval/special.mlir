// stage: run

// CHLO's functions, to the last digits of f64. The expected values were computed with fifty digits.

func.func @digamma() {
  %x = stablehlo.constant dense<[-2.5, -0.75, 0.25, 0.5, 1.0, 3.5, 12.0]> : tensor<7xf64>
  %r = chlo.digamma %x : tensor<7xf64> -> tensor<7xf64>
  %want = stablehlo.constant dense<[1.103156640645243, -2.894120200042932, -4.2274535333762655, -1.9635100260214235, -0.5772156649015329, 1.103156640645243, 2.442661679975812]> : tensor<7xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<7xf64>, tensor<7xf64>
  return
}

func.func @lgamma() {
  %x = stablehlo.constant dense<[-2.5, -0.75, 0.25, 0.5, 1.0, 3.5, 12.0]> : tensor<7xf64>
  %r = chlo.lgamma %x : tensor<7xf64> -> tensor<7xf64>
  %want = stablehlo.constant dense<[-0.056243716497674054, 1.5757045971498584, 1.2880225246980774, 0.5723649429247001, 0.0, 1.2009736023470743, 17.502307845873887]> : tensor<7xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<7xf64>, tensor<7xf64>
  return
}

func.func @erf() {
  %x = stablehlo.constant dense<[-2.5, -0.75, 0.25, 0.5, 1.0, 3.5, 12.0]> : tensor<7xf64>
  %r = chlo.erf %x : tensor<7xf64> -> tensor<7xf64>
  %want = stablehlo.constant dense<[-0.999593047982555, -0.7111556336535151, 0.27632639016823696, 0.5204998778130465, 0.8427007929497149, 0.9999992569016276, 1.0]> : tensor<7xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<7xf64>, tensor<7xf64>
  return
}

func.func @erfc() {
  %x = stablehlo.constant dense<[-2.5, -0.75, 0.25, 0.5, 1.0, 3.5, 12.0]> : tensor<7xf64>
  %r = chlo.erfc %x : tensor<7xf64> -> tensor<7xf64>
  %want = stablehlo.constant dense<[1.999593047982555, 1.7111556336535152, 0.7236736098317631, 0.4795001221869535, 0.15729920705028513, 7.430983723414128e-07, 1.3562611692059042e-64]> : tensor<7xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<7xf64>, tensor<7xf64>
  return
}

func.func @erf_inv() {
  %x = stablehlo.constant dense<[-0.9, -0.5, 0.125, 0.5, 0.99]> : tensor<5xf64>
  %r = chlo.erf_inv %x : tensor<5xf64> -> tensor<5xf64>
  %want = stablehlo.constant dense<[-1.1630871536766743, -0.4769362762044699, 0.11123545184094996, 0.4769362762044699, 1.8213863677184494]> : tensor<5xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<5xf64>, tensor<5xf64>
  return
}

func.func @bessel_i1e() {
  %x = stablehlo.constant dense<[-2.5, -0.75, 0.25, 0.5, 1.0, 3.5, 12.0, 100.0]> : tensor<8xf64>
  %r = chlo.bessel_i1e %x : tensor<8xf64> -> tensor<8xf64>
  %want = stablehlo.constant dense<[-0.20658464953126657, -0.18988779330485503, 0.09811262869736824, 0.1564208031848717, 0.20791041534970844, 0.18739997660305, 0.11146429929018098, 0.03974415302513025]> : tensor<8xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<8xf64>, tensor<8xf64>
  return
}

func.func @polygamma() {
  %x = stablehlo.constant dense<[0.0, 1.0, 2.0, 5.0]> : tensor<4xf64>
  %y = stablehlo.constant dense<[1.5, 0.5, 3.0, 1.25]> : tensor<4xf64>
  %r = chlo.polygamma %x, %y : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
  %want = stablehlo.constant dense<[0.03648997397857652, 4.934802200544679, -0.15411380631918858, 32.513767681292045]> : tensor<4xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<4xf64>, tensor<4xf64>
  return
}

func.func @zeta() {
  %x = stablehlo.constant dense<[2.0, 1.5, 3.0, 20.0]> : tensor<4xf64>
  %y = stablehlo.constant dense<[1.0, 0.5, 10.0, 1.0]> : tensor<4xf64>
  %r = chlo.zeta %x, %y : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
  %want = stablehlo.constant dense<[1.6449340668482264, 4.776537947554833, 0.0055249174854010335, 1.0000009539620338]> : tensor<4xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<4xf64>, tensor<4xf64>
  return
}

func.func @acos() {
  %x = stablehlo.constant dense<[-0.9, -0.5, 0.125, 0.5, 0.99]> : tensor<5xf64>
  %r = chlo.acos %x : tensor<5xf64> -> tensor<5xf64>
  %want = stablehlo.constant dense<[2.6905658417935308, 2.0943951023931957, 1.4454684956268313, 1.0471975511965979, 0.1415394733244273]> : tensor<5xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<5xf64>, tensor<5xf64>
  return
}

func.func @asin() {
  %x = stablehlo.constant dense<[-0.9, -0.5, 0.125, 0.5, 0.99]> : tensor<5xf64>
  %r = chlo.asin %x : tensor<5xf64> -> tensor<5xf64>
  %want = stablehlo.constant dense<[-1.1197695149986342, -0.5235987755982989, 0.1253278311680654, 0.5235987755982989, 1.4292568534704693]> : tensor<5xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<5xf64>, tensor<5xf64>
  return
}

func.func @atanh() {
  %x = stablehlo.constant dense<[-0.9, -0.5, 0.125, 0.5, 0.99]> : tensor<5xf64>
  %r = chlo.atanh %x : tensor<5xf64> -> tensor<5xf64>
  %want = stablehlo.constant dense<[-1.4722194895832204, -0.5493061443340549, 0.12565721414045303, 0.5493061443340549, 2.6466524123622457]> : tensor<5xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<5xf64>, tensor<5xf64>
  return
}

func.func @asinh() {
  %x = stablehlo.constant dense<[-2.5, -0.75, 0.25, 0.5, 1.0, 3.5, 12.0]> : tensor<7xf64>
  %r = chlo.asinh %x : tensor<7xf64> -> tensor<7xf64>
  %want = stablehlo.constant dense<[-1.6472311463710958, -0.6931471805599453, 0.24746646154726346, 0.48121182505960347, 0.881373587019543, 1.9657204716496515, 3.179785437699879]> : tensor<7xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<7xf64>, tensor<7xf64>
  return
}

func.func @atan() {
  %x = stablehlo.constant dense<[-2.5, -0.75, 0.25, 0.5, 1.0, 3.5, 12.0]> : tensor<7xf64>
  %r = chlo.atan %x : tensor<7xf64> -> tensor<7xf64>
  %want = stablehlo.constant dense<[-1.1902899496825317, -0.6435011087932844, 0.24497866312686414, 0.4636476090008061, 0.7853981633974483, 1.2924966677897853, 1.4876550949064553]> : tensor<7xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<7xf64>, tensor<7xf64>
  return
}

func.func @cosh() {
  %x = stablehlo.constant dense<[-2.5, -0.75, 0.25, 0.5, 1.0, 3.5, 12.0]> : tensor<7xf64>
  %r = chlo.cosh %x : tensor<7xf64> -> tensor<7xf64>
  %want = stablehlo.constant dense<[6.132289479663686, 1.2946832846768448, 1.0314130998795732, 1.1276259652063807, 1.5430806348152437, 16.572824671057315, 81377.39571257407]> : tensor<7xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<7xf64>, tensor<7xf64>
  return
}

func.func @sinh() {
  %x = stablehlo.constant dense<[-2.5, -0.75, 0.25, 0.5, 1.0, 3.5, 12.0]> : tensor<7xf64>
  %r = chlo.sinh %x : tensor<7xf64> -> tensor<7xf64>
  %want = stablehlo.constant dense<[-6.0502044810397875, -0.82231673193583, 0.2526123168081683, 0.5210953054937474, 1.1752011936438014, 16.542627287634996, 81377.39570642986]> : tensor<7xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<7xf64>, tensor<7xf64>
  return
}

func.func @tan() {
  %x = stablehlo.constant dense<[-2.5, -0.75, 0.25, 0.5, 1.0, 3.5, 12.0]> : tensor<7xf64>
  %r = chlo.tan %x : tensor<7xf64> -> tensor<7xf64>
  %want = stablehlo.constant dense<[0.7470222972386603, -0.9315964599440725, 0.25534192122103627, 0.5463024898437905, 1.5574077246549023, 0.3745856401585947, -0.6358599286615808]> : tensor<7xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<7xf64>, tensor<7xf64>
  return
}

func.func @acosh() {
  %x = stablehlo.constant dense<[1.0, 1.5, 12.0]> : tensor<3xf64>
  %r = chlo.acosh %x : tensor<3xf64> -> tensor<3xf64>
  %want = stablehlo.constant dense<[0.0, 0.9624236501192069, 3.176313180591656]> : tensor<3xf64>
  check.expect_close %r, %want, max_ulp_difference = 16 : tensor<3xf64>, tensor<3xf64>
  return
}

func.func @poles_and_edges() {
  %x = stablehlo.constant dense<[0.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<5xf32>
  %d = chlo.digamma %x : tensor<5xf32> -> tensor<5xf32>
  %l = chlo.lgamma %x : tensor<5xf32> -> tensor<5xf32>
  %i = chlo.bessel_i1e %x : tensor<5xf32> -> tensor<5xf32>
  %e = chlo.erf_inv %x : tensor<5xf32> -> tensor<5xf32>
  %want0 = stablehlo.constant dense<[0x7FC00000, 0x7FC00000, 0x7F800000, 0x7FC00000, 0x7FC00000]> : tensor<5xf32>
  check.expect_close %d, %want0, max_ulp_difference = 2 : tensor<5xf32>, tensor<5xf32>
  %want1 = stablehlo.constant dense<[0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  check.expect_close %l, %want1, max_ulp_difference = 2 : tensor<5xf32>, tensor<5xf32>
  %want2 = stablehlo.constant dense<[0.0, -0.2079104, 0.0, -0.0, 0x7FC00000]> : tensor<5xf32>
  check.expect_close %i, %want2, max_ulp_difference = 2 : tensor<5xf32>, tensor<5xf32>
  %want3 = stablehlo.constant dense<[0.0, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000]> : tensor<5xf32>
  check.expect_close %e, %want3, max_ulp_difference = 2 : tensor<5xf32>, tensor<5xf32>
  return
}

func.func @neighbours() {
  %x = stablehlo.constant dense<[0.0, 1.0, -1.0, 2.0, 0x7FC00000]> : tensor<5xf32>
  %y = stablehlo.constant dense<[-1.0, 2.0, 0.0, 2.0, 1.0]> : tensor<5xf32>
  %r = chlo.next_after %x, %y : tensor<5xf32>, tensor<5xf32> -> tensor<5xf32>
  %i = stablehlo.bitcast_convert %r : (tensor<5xf32>) -> tensor<5xui32>
  check.expect_eq_const %i, dense<[2147483649, 1065353217, 3212836863, 1073741824, 2143289344]> : tensor<5xui32>
  return
}

func.func @infinities() {
  %x = stablehlo.constant dense<[1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %is_inf = chlo.is_inf %x : tensor<4xf32> -> tensor<4xi1>
  %is_pos_inf = chlo.is_pos_inf %x : tensor<4xf32> -> tensor<4xi1>
  %is_neg_inf = chlo.is_neg_inf %x : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %is_inf, dense<[false, true, true, false]> : tensor<4xi1>
  check.expect_eq_const %is_pos_inf, dense<[false, true, false, false]> : tensor<4xi1>
  check.expect_eq_const %is_neg_inf, dense<[false, false, true, false]> : tensor<4xi1>
  return
}
