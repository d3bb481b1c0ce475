// stage: roundtrip
module @elementwise {
  func.func public @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %flag: tensor<2x3xi1>) -> (tensor<2x3xf32>, tensor<2x3xi1>) {
    %sum = stablehlo.add %x, %y : tensor<2x3xf32>
    %product = "stablehlo.multiply"(%sum, %y) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %exp = stablehlo.exponential %product {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<2x3xf32>
    %less = stablehlo.compare LT, %exp, %x, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %both = stablehlo.and %less, %flag : tensor<2x3xi1>
    %pick = stablehlo.select %both, %x, %exp : tensor<2x3xi1>, tensor<2x3xf32>
    %low = stablehlo.constant dense<-1.0> : tensor<f32>
    %high = stablehlo.constant dense<1.0> : tensor<f32>
    %bounded = stablehlo.clamp %low, %pick, %high : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %whole = stablehlo.convert %bounded : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %bits = stablehlo.bitcast_convert %whole : (tensor<2x3xi32>) -> tensor<2x3xf32>
    %narrow = stablehlo.reduce_precision %bits, format = e5m2 : tensor<2x3xf32>
    %finite = stablehlo.is_finite %narrow : (tensor<2x3xf32>) -> tensor<2x3xi1>
    return %narrow, %finite : tensor<2x3xf32>, tensor<2x3xi1>
  }
}
// ==>
// module @elementwise {
//   func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %flag: tensor<2x3xi1>) -> (tensor<2x3xf32>, tensor<2x3xi1>) {
//     %sum = stablehlo.add %x, %y : tensor<2x3xf32>
//     %product = stablehlo.multiply %sum, %y : tensor<2x3xf32>
//     %exp = stablehlo.exponential %product {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<2x3xf32>
//     %less = stablehlo.compare LT, %exp, %x, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
//     %both = stablehlo.and %less, %flag : tensor<2x3xi1>
//     %pick = stablehlo.select %both, %x, %exp : tensor<2x3xi1>, tensor<2x3xf32>
//     %low = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
//     %high = stablehlo.constant dense<1.000000e+00> : tensor<f32>
//     %bounded = stablehlo.clamp %low, %pick, %high : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
//     %whole = stablehlo.convert %bounded : (tensor<2x3xf32>) -> tensor<2x3xi32>
//     %bits = stablehlo.bitcast_convert %whole : (tensor<2x3xi32>) -> tensor<2x3xf32>
//     %narrow = stablehlo.reduce_precision %bits, format = e5m2 : tensor<2x3xf32>
//     %finite = stablehlo.is_finite %narrow : (tensor<2x3xf32>) -> tensor<2x3xi1>
//     return %narrow, %finite : tensor<2x3xf32>, tensor<2x3xi1>
//   }
// }
// -----
// stage: roundtrip
func.func @complex(%re: tensor<2xf64>, %im: tensor<2xf64>) -> tensor<2xf64> {
  %z = stablehlo.complex %re, %im : tensor<2xcomplex<f64>>
  %w = stablehlo.log %z : tensor<2xcomplex<f64>>
  %imag = stablehlo.imag %w : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  return %imag : tensor<2xf64>
}
// ==>
// module {
//   func.func @complex(%re: tensor<2xf64>, %im: tensor<2xf64>) -> tensor<2xf64> {
//     %z = stablehlo.complex %re, %im : tensor<2xcomplex<f64>>
//     %w = stablehlo.log %z : tensor<2xcomplex<f64>>
//     %imag = stablehlo.imag %w : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
//     return %imag : tensor<2xf64>
//   }
// }
// -----
// stage: roundtrip
func.func @chlo(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %e = chlo.erf_inv %x : tensor<4xf32> -> tensor<4xf32>
  %values, %indices = chlo.top_k(%e, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return %values, %indices : tensor<2xf32>, tensor<2xi32>
}
// ==>
// module {
//   func.func @chlo(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
//     %e = chlo.erf_inv %x : tensor<4xf32> -> tensor<4xf32>
//     %values, %indices = chlo.top_k(%e, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
//     return %values, %indices : tensor<2xf32>, tensor<2xi32>
//   }
// }
