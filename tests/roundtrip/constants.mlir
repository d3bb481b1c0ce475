// stage: roundtrip
func.func @main() -> (tensor<2x2xf32>, tensor<3xi8>, tensor<2xi1>, tensor<f64>, tensor<2xbf16>, tensor<2xcomplex<f32>>, tensor<0xf32>, tensor<4xui16>) {
  %a = stablehlo.constant dense<[[1.0, 2.5], [-3.25, 1.0e-40]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[-128, 0, 127]> : tensor<3xi8>
  %c = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %d = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %e = stablehlo.constant dense<[0x7FC0, 1.0]> : tensor<2xbf16>
  %f = stablehlo.constant dense<[(1.0, -2.0), (0.0, 3.0)]> : tensor<2xcomplex<f32>>
  %g = stablehlo.constant dense<> : tensor<0xf32>
  %h = stablehlo.constant dense<"0x0100020003000400"> : tensor<4xui16>
  return %a, %b, %c, %d, %e, %f, %g, %h : tensor<2x2xf32>, tensor<3xi8>, tensor<2xi1>, tensor<f64>, tensor<2xbf16>, tensor<2xcomplex<f32>>, tensor<0xf32>, tensor<4xui16>
}
// ==>
// module {
//   func.func @main() -> (tensor<2x2xf32>, tensor<3xi8>, tensor<2xi1>, tensor<f64>, tensor<2xbf16>, tensor<2xcomplex<f32>>, tensor<0xf32>, tensor<4xui16>) {
//     %a = stablehlo.constant dense<[[1.000000e+00, 2.500000e+00], [-3.250000e+00, 9.999950e-41]]> : tensor<2x2xf32>
//     %b = stablehlo.constant dense<[-128, 0, 127]> : tensor<3xi8>
//     %c = stablehlo.constant dense<[true, false]> : tensor<2xi1>
//     %d = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
//     %e = stablehlo.constant dense<[0x7FC0, 1.000000e+00]> : tensor<2xbf16>
//     %f = stablehlo.constant dense<[(1.000000e+00,-2.000000e+00), (0.000000e+00,3.000000e+00)]> : tensor<2xcomplex<f32>>
//     %g = stablehlo.constant dense<> : tensor<0xf32>
//     %h = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xui16>
//     return %a, %b, %c, %d, %e, %f, %g, %h : tensor<2x2xf32>, tensor<3xi8>, tensor<2xi1>, tensor<f64>, tensor<2xbf16>, tensor<2xcomplex<f32>>, tensor<0xf32>, tensor<4xui16>
//   }
// }
// -----
// stage: roundtrip
func.func @main() -> (tensor<3xf32>, tensor<2x2xi64>) {
  %same = stablehlo.constant dense<0.1> : tensor<3xf32>
  %count = stablehlo.iota dim = 1 : tensor<2x2xi64>
  return %same, %count : tensor<3xf32>, tensor<2x2xi64>
}
// ==>
// module {
//   func.func @main() -> (tensor<3xf32>, tensor<2x2xi64>) {
//     %same = stablehlo.constant dense<1.000000e-01> : tensor<3xf32>
//     %count = stablehlo.iota dim = 1 : tensor<2x2xi64>
//     return %same, %count : tensor<3xf32>, tensor<2x2xi64>
//   }
// }
