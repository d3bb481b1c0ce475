// stage: run

// Comparisons and selection.

func.func @float_eq() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, 0x7FC00000, 0xFF800000]> : tensor<5xf32>
  %y = stablehlo.constant dense<[-0.0, 0.0, 2.0, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  %r = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %r, dense<[true, true, false, false, false]> : tensor<5xi1>
  return
}

func.func @float_ne() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, 0x7FC00000, 0xFF800000]> : tensor<5xf32>
  %y = stablehlo.constant dense<[-0.0, 0.0, 2.0, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  %r = stablehlo.compare NE, %x, %y, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %r, dense<[false, false, true, true, true]> : tensor<5xi1>
  return
}

func.func @float_ge() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, 0x7FC00000, 0xFF800000]> : tensor<5xf32>
  %y = stablehlo.constant dense<[-0.0, 0.0, 2.0, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  %r = stablehlo.compare GE, %x, %y, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %r, dense<[true, true, false, false, false]> : tensor<5xi1>
  return
}

func.func @float_gt() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, 0x7FC00000, 0xFF800000]> : tensor<5xf32>
  %y = stablehlo.constant dense<[-0.0, 0.0, 2.0, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  %r = stablehlo.compare GT, %x, %y, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, false]> : tensor<5xi1>
  return
}

func.func @float_le() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, 0x7FC00000, 0xFF800000]> : tensor<5xf32>
  %y = stablehlo.constant dense<[-0.0, 0.0, 2.0, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  %r = stablehlo.compare LE, %x, %y, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %r, dense<[true, true, true, false, true]> : tensor<5xi1>
  return
}

func.func @float_lt() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, 0x7FC00000, 0xFF800000]> : tensor<5xf32>
  %y = stablehlo.constant dense<[-0.0, 0.0, 2.0, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  %r = stablehlo.compare LT, %x, %y, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %r, dense<[false, false, true, false, true]> : tensor<5xi1>
  return
}

func.func @total_order_eq() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, 0x7FC00000, 0xFF800000]> : tensor<5xf32>
  %y = stablehlo.constant dense<[-0.0, 0.0, 2.0, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  %r = stablehlo.compare EQ, %x, %y, TOTALORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %r, dense<[false, false, false, true, false]> : tensor<5xi1>
  return
}

func.func @total_order_lt() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, 0x7FC00000, 0xFF800000]> : tensor<5xf32>
  %y = stablehlo.constant dense<[-0.0, 0.0, 2.0, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  %r = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %r, dense<[false, true, true, false, true]> : tensor<5xi1>
  return
}

func.func @total_order_gt() {
  %x = stablehlo.constant dense<[0.0, -0.0, 1.0, 0x7FC00000, 0xFF800000]> : tensor<5xf32>
  %y = stablehlo.constant dense<[-0.0, 0.0, 2.0, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  %r = stablehlo.compare GT, %x, %y, TOTALORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %r, dense<[true, false, false, false, false]> : tensor<5xi1>
  return
}

func.func @unsigned() {
  %x = stablehlo.constant dense<[255, 0]> : tensor<2xui8>
  %y = stablehlo.constant dense<[1, 1]> : tensor<2xui8>
  %r = stablehlo.compare GT, %x, %y, UNSIGNED : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  check.expect_eq_const %r, dense<[true, false]> : tensor<2xi1>
  return
}

func.func @complex() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (1.0, 2.0)]> : tensor<2xcomplex<f32>>
  %y = stablehlo.constant dense<[(1.0, 2.0), (1.0, 3.0)]> : tensor<2xcomplex<f32>>
  %r = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  %s = stablehlo.compare NE, %x, %y, FLOAT : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  check.expect_eq_const %r, dense<[true, false]> : tensor<2xi1>
  check.expect_eq_const %s, dense<[false, true]> : tensor<2xi1>
  return
}

func.func @select() {
  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %q = stablehlo.constant dense<true> : tensor<i1>
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %y = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %r = stablehlo.select %p, %x, %y : tensor<2xi1>, tensor<2xi64>
  %s = stablehlo.select %q, %x, %y : tensor<i1>, tensor<2xi64>
  check.expect_eq_const %r, dense<[1, 4]> : tensor<2xi64>
  check.expect_eq_const %s, dense<[1, 2]> : tensor<2xi64>
  return
}
