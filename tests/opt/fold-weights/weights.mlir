// stage: opt(fold-weights, dead-code)
// Eight bits, a scale and a zero for each column; and another order.
func.func @main() -> (tensor<2x3xf32>, tensor<3x2xi8>) {
  %q = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %s = stablehlo.constant dense<[0.5, 0.25, 2.0]> : tensor<3xf32>
  %z = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %scales = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %f = stablehlo.convert %q : (tensor<2x3xi8>) -> tensor<2x3xf32>
  %c = stablehlo.subtract %f, %z : tensor<2x3xf32>
  %w = stablehlo.multiply %c, %scales : tensor<2x3xf32>
  %t = stablehlo.transpose %q, dims = [1, 0] : (tensor<2x3xi8>) -> tensor<3x2xi8>
  return %w, %t : tensor<2x3xf32>, tensor<3x2xi8>
}
// ==>
// module {
//   func.func @main() -> (tensor<2x3xf32>, tensor<3x2xi8>) {
//     %0 = stablehlo.constant dense<[[0.000000e+00, 2.500000e-01, 4.000000e+00], [1.500000e+00, 1.000000e+00, 1.000000e+01]]> : tensor<2x3xf32>
//     %1 = stablehlo.constant dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi8>
//     return %0, %1 : tensor<2x3xf32>, tensor<3x2xi8>
//   }
// }
// -----
// stage: opt(fold-weights, dead-code)
// Pieces that are no larger than the whole, together.
func.func @main() -> (tensor<2xf32>, tensor<2xf32>) {
  %w = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %a = stablehlo.slice %w [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  %b = stablehlo.slice %w [2:4] : (tensor<4xf32>) -> tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}
// ==>
// module {
//   func.func @main() -> (tensor<2xf32>, tensor<2xf32>) {
//     %0 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
//     %1 = stablehlo.constant dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf32>
//     return %0, %1 : tensor<2xf32>, tensor<2xf32>
//   }
// }
// -----
// stage: opt(fold-weights)
// Pieces that overlap, what is larger than its constants, and what is no constant stay.
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>) {
  %w = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %a = stablehlo.slice %w [0:3] : (tensor<4xf32>) -> tensor<3xf32>
  %b = stablehlo.slice %w [1:4] : (tensor<4xf32>) -> tensor<3xf32>
  %r = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %s = stablehlo.add %r, %r : tensor<2x3xf32>
  %y = stablehlo.add %c, %x : tensor<3xf32>
  return %a, %b, %s, %y : tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>) {
//     %w = stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
//     %c = stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
//     %a = stablehlo.slice %w [0:3] : (tensor<4xf32>) -> tensor<3xf32>
//     %b = stablehlo.slice %w [1:4] : (tensor<4xf32>) -> tensor<3xf32>
//     %r = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
//     %s = stablehlo.add %r, %r : tensor<2x3xf32>
//     %y = stablehlo.add %c, %x : tensor<3xf32>
//     return %a, %b, %s, %y : tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>
//   }
// }
