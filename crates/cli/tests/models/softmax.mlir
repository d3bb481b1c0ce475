func.func @main(%arg0: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
  %3 = stablehlo.subtract %arg0, %2 : tensor<64x1000xf32>
  %4 = stablehlo.exponential %3 : tensor<64x1000xf32>
  %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %6 = stablehlo.reduce(%4 init: %5) applies stablehlo.add across dimensions = [1] : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
  %8 = stablehlo.divide %4, %7 : tensor<64x1000xf32>
  return %8 : tensor<64x1000xf32>
}
