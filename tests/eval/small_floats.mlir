// stage: run

// Half precision and smaller: every operation is rounded once, to even.

func.func @add_bf16() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.5, 100.0, -0.0, 3.5, 0x7FC0]> : tensor<8xbf16>
  %y = stablehlo.constant dense<[0.001953125, 0.0625, 0.0625, 0.33984375, 100.0, 0.0, -3.5, 1.0]> : tensor<8xbf16>
  %r = stablehlo.add %x, %y : tensor<8xbf16>
  check.expect_eq_const %r, dense<[1.0, 1.0625, -0.9375, 0.83984375, 200.0, 0.0, 0.0, 0x7FC0]> : tensor<8xbf16>
  return
}

func.func @multiply_bf16() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.5, 100.0, -0.0, 3.5, 0x7FC0]> : tensor<8xbf16>
  %y = stablehlo.constant dense<[0.001953125, 0.0625, 0.0625, 0.33984375, 100.0, 0.0, -3.5, 1.0]> : tensor<8xbf16>
  %r = stablehlo.multiply %x, %y : tensor<8xbf16>
  check.expect_eq_const %r, dense<[0.001953125, 0.0625, -0.0625, 0.169921875, 9984.0, -0.0, -12.25, 0x7FC0]> : tensor<8xbf16>
  return
}

func.func @add_f16() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.5, 100.0, -0.0, 3.5, 0x7E00]> : tensor<8xf16>
  %y = stablehlo.constant dense<[0.001953125, 0.0625, 0.0625, 0.340087890625, 100.0, 0.0, -3.5, 1.0]> : tensor<8xf16>
  %r = stablehlo.add %x, %y : tensor<8xf16>
  check.expect_eq_const %r, dense<[1.001953125, 1.0625, -0.9375, 0.83984375, 200.0, 0.0, 0.0, 0x7E00]> : tensor<8xf16>
  return
}

func.func @multiply_f16() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.5, 100.0, -0.0, 3.5, 0x7E00]> : tensor<8xf16>
  %y = stablehlo.constant dense<[0.001953125, 0.0625, 0.0625, 0.340087890625, 100.0, 0.0, -3.5, 1.0]> : tensor<8xf16>
  %r = stablehlo.multiply %x, %y : tensor<8xf16>
  check.expect_eq_const %r, dense<[0.001953125, 0.0625, -0.0625, 0.1700439453125, 10000.0, -0.0, -12.25, 0x7E00]> : tensor<8xf16>
  return
}

func.func @add_f8e4m3fn() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.5, 96.0, -0.0, 3.5, 0x7F]> : tensor<8xf8E4M3FN>
  %y = stablehlo.constant dense<[0.001953125, 0.0625, 0.0625, 0.34375, 96.0, 0.0, -3.5, 1.0]> : tensor<8xf8E4M3FN>
  %r = stablehlo.add %x, %y : tensor<8xf8E4M3FN>
  check.expect_eq_const %r, dense<[1.0, 1.0, -0.9375, 0.875, 192.0, 0.0, 0.0, 0x7F]> : tensor<8xf8E4M3FN>
  return
}

func.func @multiply_f8e4m3fn() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.5, 96.0, -0.0, 3.5, 0x7F]> : tensor<8xf8E4M3FN>
  %y = stablehlo.constant dense<[0.001953125, 0.0625, 0.0625, 0.34375, 96.0, 0.0, -3.5, 1.0]> : tensor<8xf8E4M3FN>
  %r = stablehlo.multiply %x, %y : tensor<8xf8E4M3FN>
  check.expect_eq_const %r, dense<[0.001953125, 0.0625, -0.0625, 0.171875, 0x7F, -0.0, -12.0, 0x7F]> : tensor<8xf8E4M3FN>
  return
}

func.func @add_f8e5m2() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.5, 96.0, -0.0, 3.5, 0x7E]> : tensor<8xf8E5M2>
  %y = stablehlo.constant dense<[0.001953125, 0.0625, 0.0625, 0.3125, 96.0, 0.0, -3.5, 1.0]> : tensor<8xf8E5M2>
  %r = stablehlo.add %x, %y : tensor<8xf8E5M2>
  check.expect_eq_const %r, dense<[1.0, 1.0, -1.0, 0.75, 192.0, 0.0, 0.0, 0x7E]> : tensor<8xf8E5M2>
  return
}

func.func @multiply_f8e5m2() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.5, 96.0, -0.0, 3.5, 0x7E]> : tensor<8xf8E5M2>
  %y = stablehlo.constant dense<[0.001953125, 0.0625, 0.0625, 0.3125, 96.0, 0.0, -3.5, 1.0]> : tensor<8xf8E5M2>
  %r = stablehlo.multiply %x, %y : tensor<8xf8E5M2>
  check.expect_eq_const %r, dense<[0.001953125, 0.0625, -0.0625, 0.15625, 8192.0, -0.0, -12.0, 0x7E]> : tensor<8xf8E5M2>
  return
}

func.func @add_f8e4m3b11fnuz() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.5, 0x80, 0.0, 3.5, 0x80]> : tensor<8xf8E4M3B11FNUZ>
  %y = stablehlo.constant dense<[0.001953125, 0.0625, 0.0625, 0.34375, 0x80, 0.0, -3.5, 1.0]> : tensor<8xf8E4M3B11FNUZ>
  %r = stablehlo.add %x, %y : tensor<8xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[1.0, 1.0, -0.9375, 0.875, 0x80, 0.0, 0.0, 0x80]> : tensor<8xf8E4M3B11FNUZ>
  return
}

func.func @multiply_f8e4m3b11fnuz() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.5, 0x80, 0.0, 3.5, 0x80]> : tensor<8xf8E4M3B11FNUZ>
  %y = stablehlo.constant dense<[0.001953125, 0.0625, 0.0625, 0.34375, 0x80, 0.0, -3.5, 1.0]> : tensor<8xf8E4M3B11FNUZ>
  %r = stablehlo.multiply %x, %y : tensor<8xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[0.001953125, 0.0625, -0.0625, 0.171875, 0x80, 0.0, -12.0, 0x80]> : tensor<8xf8E4M3B11FNUZ>
  return
}

func.func @add_f8e4m3fnuz() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.5, 96.0, 0.0, 3.5, 0x80]> : tensor<8xf8E4M3FNUZ>
  %y = stablehlo.constant dense<[0.001953125, 0.0625, 0.0625, 0.34375, 96.0, 0.0, -3.5, 1.0]> : tensor<8xf8E4M3FNUZ>
  %r = stablehlo.add %x, %y : tensor<8xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[1.0, 1.0, -0.9375, 0.875, 192.0, 0.0, 0.0, 0x80]> : tensor<8xf8E4M3FNUZ>
  return
}

func.func @multiply_f8e4m3fnuz() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.5, 96.0, 0.0, 3.5, 0x80]> : tensor<8xf8E4M3FNUZ>
  %y = stablehlo.constant dense<[0.001953125, 0.0625, 0.0625, 0.34375, 96.0, 0.0, -3.5, 1.0]> : tensor<8xf8E4M3FNUZ>
  %r = stablehlo.multiply %x, %y : tensor<8xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[0.001953125, 0.0625, -0.0625, 0.171875, 0x80, 0.0, -12.0, 0x80]> : tensor<8xf8E4M3FNUZ>
  return
}

func.func @add_f8e5m2fnuz() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.5, 96.0, 0.0, 3.5, 0x80]> : tensor<8xf8E5M2FNUZ>
  %y = stablehlo.constant dense<[0.001953125, 0.0625, 0.0625, 0.3125, 96.0, 0.0, -3.5, 1.0]> : tensor<8xf8E5M2FNUZ>
  %r = stablehlo.add %x, %y : tensor<8xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[1.0, 1.0, -1.0, 0.75, 192.0, 0.0, 0.0, 0x80]> : tensor<8xf8E5M2FNUZ>
  return
}

func.func @multiply_f8e5m2fnuz() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.5, 96.0, 0.0, 3.5, 0x80]> : tensor<8xf8E5M2FNUZ>
  %y = stablehlo.constant dense<[0.001953125, 0.0625, 0.0625, 0.3125, 96.0, 0.0, -3.5, 1.0]> : tensor<8xf8E5M2FNUZ>
  %r = stablehlo.multiply %x, %y : tensor<8xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[0.001953125, 0.0625, -0.0625, 0.15625, 8192.0, 0.0, -12.0, 0x80]> : tensor<8xf8E5M2FNUZ>
  return
}

func.func @add_f8e3m4() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.5, 0x70, -0.0, 3.5, 0x78]> : tensor<8xf8E3M4>
  %y = stablehlo.constant dense<[0.0, 0.0625, 0.0625, 0.34375, 0x70, 0.0, -3.5, 1.0]> : tensor<8xf8E3M4>
  %r = stablehlo.add %x, %y : tensor<8xf8E3M4>
  check.expect_eq_const %r, dense<[1.0, 1.0625, -0.9375, 0.84375, 0x70, 0.0, 0.0, 0x78]> : tensor<8xf8E3M4>
  return
}

func.func @multiply_f8e3m4() {
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.5, 0x70, -0.0, 3.5, 0x78]> : tensor<8xf8E3M4>
  %y = stablehlo.constant dense<[0.0, 0.0625, 0.0625, 0.34375, 0x70, 0.0, -3.5, 1.0]> : tensor<8xf8E3M4>
  %r = stablehlo.multiply %x, %y : tensor<8xf8E3M4>
  check.expect_eq_const %r, dense<[0.0, 0.0625, -0.0625, 0.171875, 0x70, -0.0, -12.0, 0x78]> : tensor<8xf8E3M4>
  return
}

// Infinity where the type has one, NaN where it has only that.
func.func @overflow() {
  %x = stablehlo.constant dense<[70000.0, -70000.0, 449.0, 464.0, 465.0, 1.0e+09]> : tensor<6xf32>
  %a = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xf16>
  %b = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xf8E4M3FN>
  %c = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xf8E5M2>
  check.expect_eq_const %a, dense<[0x7C00, 0xFC00, 449.0, 464.0, 465.0, 0x7C00]> : tensor<6xf16>
  check.expect_eq_const %b, dense<[0x7F, 0xFF, 448.0, 448.0, 0x7F, 0x7F]> : tensor<6xf8E4M3FN>
  check.expect_eq_const %c, dense<[0x7C, 0xFC, 448.0, 448.0, 448.0, 0x7C]> : tensor<6xf8E5M2>
  return
}
