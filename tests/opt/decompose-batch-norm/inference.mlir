// stage: opt(decompose-batch-norm)
func.func @main(%x: tensor<2x3xf32>, %scale: tensor<3xf32>, %offset: tensor<3xf32>, %mean: tensor<3xf32>, %variance: tensor<3xf32>) -> tensor<2x3xf32> {
  %y = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<2x3xf32>, %scale: tensor<3xf32>, %offset: tensor<3xf32>, %mean: tensor<3xf32>, %variance: tensor<3xf32>) -> tensor<2x3xf32> {
//     %0 = stablehlo.broadcast_in_dim %mean, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
//     %1 = stablehlo.subtract %x, %0 : tensor<2x3xf32>
//     %2 = stablehlo.constant dense<1.000000e-03> : tensor<3xf32>
//     %3 = stablehlo.add %variance, %2 : tensor<3xf32>
//     %4 = stablehlo.rsqrt %3 : tensor<3xf32>
//     %5 = stablehlo.multiply %4, %scale : tensor<3xf32>
//     %6 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
//     %7 = stablehlo.broadcast_in_dim %offset, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
//     %8 = stablehlo.multiply %1, %6 : tensor<2x3xf32>
//     %9 = stablehlo.add %8, %7 : tensor<2x3xf32>
//     return %9 : tensor<2x3xf32>
//   }
// }
// -----
// stage: opt(decompose-batch-norm)
// Short types are computed in single precision.
func.func @main(%x: tensor<2x3xbf16>, %scale: tensor<3xbf16>, %offset: tensor<3xbf16>) -> (tensor<2x3xbf16>, tensor<3xbf16>, tensor<3xbf16>) {
  %y:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<2x3xbf16>, tensor<3xbf16>, tensor<3xbf16>) -> (tensor<2x3xbf16>, tensor<3xbf16>, tensor<3xbf16>)
  return %y#0, %y#1, %y#2 : tensor<2x3xbf16>, tensor<3xbf16>, tensor<3xbf16>
}
// ==>
// module {
//   func.func @main(%x: tensor<2x3xbf16>, %scale: tensor<3xbf16>, %offset: tensor<3xbf16>) -> (tensor<2x3xbf16>, tensor<3xbf16>, tensor<3xbf16>) {
//     %0 = stablehlo.convert %x : (tensor<2x3xbf16>) -> tensor<2x3xf32>
//     %1 = stablehlo.convert %scale : (tensor<3xbf16>) -> tensor<3xf32>
//     %2 = stablehlo.convert %offset : (tensor<3xbf16>) -> tensor<3xf32>
//     %3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//     %4 = stablehlo.reduce(%0 init: %3) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
//     %5 = stablehlo.constant dense<2.000000e+00> : tensor<3xf32>
//     %6 = stablehlo.divide %4, %5 : tensor<3xf32>
//     %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
//     %8 = stablehlo.subtract %0, %7 : tensor<2x3xf32>
//     %9 = stablehlo.multiply %8, %8 : tensor<2x3xf32>
//     %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//     %11 = stablehlo.reduce(%9 init: %10) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
//     %12 = stablehlo.constant dense<2.000000e+00> : tensor<3xf32>
//     %13 = stablehlo.divide %11, %12 : tensor<3xf32>
//     %14 = stablehlo.constant dense<1.000000e-03> : tensor<3xf32>
//     %15 = stablehlo.add %13, %14 : tensor<3xf32>
//     %16 = stablehlo.rsqrt %15 : tensor<3xf32>
//     %17 = stablehlo.multiply %16, %1 : tensor<3xf32>
//     %18 = stablehlo.broadcast_in_dim %17, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
//     %19 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
//     %20 = stablehlo.multiply %8, %18 : tensor<2x3xf32>
//     %21 = stablehlo.add %20, %19 : tensor<2x3xf32>
//     %22 = stablehlo.convert %21 : (tensor<2x3xf32>) -> tensor<2x3xbf16>
//     %23 = stablehlo.convert %6 : (tensor<3xf32>) -> tensor<3xbf16>
//     %24 = stablehlo.convert %13 : (tensor<3xf32>) -> tensor<3xbf16>
//     return %22, %23, %24 : tensor<2x3xbf16>, tensor<3xbf16>, tensor<3xbf16>
//   }
// }
