// stage: run

// Conversion, the same bits as another type, and reduced precision.

// Toward zero, to the nearest value of the type, and NaN to zero.
func.func @floats_to_integers() {
  %x = stablehlo.constant dense<[1.9, -1.9, 300.0, -300.0, 1.0e+20, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<8xf32>
  %i4 = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xi4>
  %i8 = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xi8>
  %ui8 = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xui8>
  %i32 = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xi32>
  %ui32 = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xui32>
  %i64 = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xi64>
  %i1 = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xi1>
  check.expect_eq_const %i4, dense<[1, -1, 7, -8, 7, 7, -8, 0]> : tensor<8xi4>
  check.expect_eq_const %i8, dense<[1, -1, 127, -128, 127, 127, -128, 0]> : tensor<8xi8>
  check.expect_eq_const %ui8, dense<[1, 0, 255, 0, 255, 255, 0, 0]> : tensor<8xui8>
  check.expect_eq_const %i32, dense<[1, -1, 300, -300, 2147483647, 2147483647, -2147483648, 0]> : tensor<8xi32>
  check.expect_eq_const %ui32, dense<[1, 0, 300, 0, 4294967295, 4294967295, 0, 0]> : tensor<8xui32>
  check.expect_eq_const %i64, dense<[1, -1, 300, -300, 9223372036854775807, 9223372036854775807, -9223372036854775808, 0]> : tensor<8xi64>
  check.expect_eq_const %i1, dense<[true, true, true, true, true, true, true, true]> : tensor<8xi1>
  return
}

func.func @integers_to_narrower_ones() {
  %x = stablehlo.constant dense<[300, -1, 2147483647]> : tensor<3xi32>
  %i4 = stablehlo.convert %x : (tensor<3xi32>) -> tensor<3xi4>
  %ui8 = stablehlo.convert %x : (tensor<3xi32>) -> tensor<3xui8>
  %i16 = stablehlo.convert %x : (tensor<3xi32>) -> tensor<3xi16>
  %ui64 = stablehlo.convert %x : (tensor<3xi32>) -> tensor<3xui64>
  %i1 = stablehlo.convert %x : (tensor<3xi32>) -> tensor<3xi1>
  check.expect_eq_const %i4, dense<[-4, -1, -1]> : tensor<3xi4>
  check.expect_eq_const %ui8, dense<[44, 255, 255]> : tensor<3xui8>
  check.expect_eq_const %i16, dense<[300, -1, -1]> : tensor<3xi16>
  check.expect_eq_const %ui64, dense<[300, 18446744073709551615, 2147483647]> : tensor<3xui64>
  check.expect_eq_const %i1, dense<[true, true, true]> : tensor<3xi1>
  return
}

// Rounded once: the last one lies above the middle of two f32, but its f64 does not.
func.func @integers_to_floats() {
  %x = stablehlo.constant dense<[16777217, -16777219, 4611686293305294849]> : tensor<3xi64>
  %a = stablehlo.convert %x : (tensor<3xi64>) -> tensor<3xf32>
  %b = stablehlo.convert %x : (tensor<3xi64>) -> tensor<3xbf16>
  %c = stablehlo.convert %x : (tensor<3xi64>) -> tensor<3xf64>
  check.expect_eq_const %a, dense<[1.6777216e+07, -1.677722e+07, 4.6116866e+18]> : tensor<3xf32>
  check.expect_eq_const %b, dense<[16777216.0, -16777216.0, 4.611686018427388e+18]> : tensor<3xbf16>
  check.expect_eq_const %c, dense<[16777217.0, -16777219.0, 4.611686293305295e+18]> : tensor<3xf64>
  return
}

func.func @floats_to_floats() {
  %x = stablehlo.constant dense<[1.00390625, 1.001953125, 3.0e-08, 1.0e+39]> : tensor<4xf64>
  %f32 = stablehlo.convert %x : (tensor<4xf64>) -> tensor<4xf32>
  %f16 = stablehlo.convert %x : (tensor<4xf64>) -> tensor<4xf16>
  %bf16 = stablehlo.convert %x : (tensor<4xf64>) -> tensor<4xbf16>
  check.expect_eq_const %f32, dense<[1.0039062, 1.0019531, 3.0e-08, 0x7F800000]> : tensor<4xf32>
  check.expect_eq_const %f16, dense<[1.00390625, 1.001953125, 5.960464477539063e-08, 0x7C00]> : tensor<4xf16>
  check.expect_eq_const %bf16, dense<[1.0, 1.0, 3.003515303134918e-08, 0x7F80]> : tensor<4xbf16>
  return
}

func.func @complex_parts() {
  %x = stablehlo.constant dense<[(1.5, 2.0), (-0.5, 0.0)]> : tensor<2xcomplex<f64>>
  %r = stablehlo.convert %x : (tensor<2xcomplex<f64>>) -> tensor<2xf32>
  %i = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %c = stablehlo.convert %i : (tensor<2xi32>) -> tensor<2xcomplex<f32>>
  check.expect_eq_const %r, dense<[1.5, -0.5]> : tensor<2xf32>
  check.expect_eq_const %c, dense<[(3.0, 0.0), (4.0, 0.0)]> : tensor<2xcomplex<f32>>
  return
}

func.func @same_width() {
  %x = stablehlo.constant dense<[1.0, -2.5]> : tensor<2xf32>
  %r = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2xui32>
  check.expect_eq_const %r, dense<[1065353216, 3223322624]> : tensor<2xui32>
  return
}

func.func @narrower() {
  %x = stablehlo.constant dense<[305419896, -1]> : tensor<2xi32>
  %r = stablehlo.bitcast_convert %x : (tensor<2xi32>) -> tensor<2x4xui8>
  %s = stablehlo.bitcast_convert %x : (tensor<2xi32>) -> tensor<2x8xi4>
  check.expect_eq_const %r, dense<[[120, 86, 52, 18], [255, 255, 255, 255]]> : tensor<2x4xui8>
  check.expect_eq_const %s, dense<[[-8, 7, 6, 5, 4, 3, 2, 1], [-1, -1, -1, -1, -1, -1, -1, -1]]> : tensor<2x8xi4>
  return
}

func.func @wider() {
  %x = stablehlo.constant dense<[[120, 86, 52, 18]]> : tensor<1x4xi8>
  %r = stablehlo.bitcast_convert %x : (tensor<1x4xi8>) -> tensor<1xi32>
  check.expect_eq_const %r, dense<[305419896]> : tensor<1xi32>
  return
}

func.func @reduced_precision() {
  %x = stablehlo.constant dense<[1.00048828125, 1.00146484375, 70000.0, 1.0e-05, -3.0e-05, 0x7F800000, 0x7FC00000]> : tensor<7xf32>
  %r = stablehlo.reduce_precision %x, format = e5m10 : tensor<7xf32>
  %s = stablehlo.reduce_precision %x, format = e8m7 : tensor<7xf32>
  check.expect_eq_const %r, dense<[1.0, 1.0019531, 0x7F800000, 0.0, -0.0, 0x7F800000, 0x7FC00000]> : tensor<7xf32>
  check.expect_eq_const %s, dense<[1.0, 1.0, 70144.0, 1.001358e-05, -3.0040741e-05, 0x7F800000, 0x7FC00000]> : tensor<7xf32>
  return
}
