// stage: run

// Uniformly quantised values: computed as real ones, rounded to even, kept in range.

func.func @there_and_back() {
  %x = stablehlo.constant dense<[1.0, -1.25, 0.24, 1.0e+09]> : tensor<4xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %s = stablehlo.bitcast_convert %q : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xi8>
  check.expect_eq_const %s, dense<[5, 0, 3, 127]> : tensor<4xi8>
  %r = stablehlo.uniform_dequantize %q : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  check.expect_eq_const %r, dense<[1.0, -1.5, 0.0, 62.0]> : tensor<4xf32>
  return
}

func.func @arithmetic() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %t = stablehlo.add %q, %q : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.25>>
  %r = stablehlo.uniform_dequantize %t : (tensor<2x!quant.uniform<i8:f32, 0.25>>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<[2.0, 4.0]> : tensor<2xf32>
  %u = stablehlo.uniform_quantize %q : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.25>>
  %s = stablehlo.bitcast_convert %u : (tensor<2x!quant.uniform<i8:f32, 0.25>>) -> tensor<2xi8>
  check.expect_eq_const %s, dense<[4, 8]> : tensor<2xi8>
  return
}

func.func @moving_keeps_what_is_stored() {
  %x = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<1x2xf32>) -> tensor<1x2x!quant.uniform<i8:f32, 0.5:3>>
  %t = stablehlo.transpose %q, dims = [1, 0] : (tensor<1x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x1x!quant.uniform<i8:f32, 0.5:3>>
  %r = stablehlo.uniform_dequantize %t : (tensor<2x1x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x1xf32>
  check.expect_eq_const %r, dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  return
}

func.func @one_scale_a_row() {
  %x = stablehlo.constant dense<[[1.0, 1.0], [-1.25, 2.0]]> : tensor<2x2xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>
  %r = stablehlo.uniform_dequantize %q : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25:1}>>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[1.0, 1.0], [-1.25, 2.0]]> : tensor<2x2xf32>
  return
}

func.func @weights_only() {
  %x = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %w = stablehlo.constant dense<[[1.0], [0.5]]> : tensor<2x1xf32>
  %q = stablehlo.uniform_quantize %w : (tensor<2x1xf32>) -> tensor<2x1x!quant.uniform<i8:f32, 0.25>>
  %r = stablehlo.dot_general %x, %q, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x1x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x1xf32>
  check.expect_eq_const %r, dense<[[2.0]]> : tensor<1x1xf32>
  return
}

func.func @reduction() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5:3>>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.uniform_quantize %z : (tensor<f32>) -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  %t = stablehlo.reduce(%q init: %i) applies stablehlo.add across dimensions = [0] : (tensor<3x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  %r = stablehlo.uniform_dequantize %t : (tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<f32>
  check.expect_eq_const %r, dense<6.0> : tensor<f32>
  return
}
