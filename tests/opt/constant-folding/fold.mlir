// stage: opt(constant-folding, dead-code)
func.func @main() -> tensor<3xi32> {
  %c = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %twos = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<i32>) -> tensor<3xi32>
  %0 = stablehlo.multiply %c, %twos : tensor<3xi32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<3xi32>
  return %1 : tensor<3xi32>
}
// ==>
// module {
//   func.func @main() -> tensor<3xi32> {
//     %0 = stablehlo.constant dense<[6, 4, 2]> : tensor<3xi32>
//     return %0 : tensor<3xi32>
//   }
// }
// -----
// stage: opt(constant-folding, dead-code)
// One element repeated stays one, at any size.
func.func @main() -> tensor<1024x4096xf32> {
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %halves = stablehlo.broadcast_in_dim %half, dims = [] : (tensor<f32>) -> tensor<4096x1024xf32>
  %turned = stablehlo.transpose %halves, dims = [1, 0] : (tensor<4096x1024xf32>) -> tensor<1024x4096xf32>
  %0 = stablehlo.add %turned, %turned : tensor<1024x4096xf32>
  return %0 : tensor<1024x4096xf32>
}
// ==>
// module {
//   func.func @main() -> tensor<1024x4096xf32> {
//     %0 = stablehlo.constant dense<1.000000e+00> : tensor<1024x4096xf32>
//     return %0 : tensor<1024x4096xf32>
//   }
// }
// -----
// stage: opt(constant-folding, dead-code)
// Little data is not made much: the broadcast stays, and so does the large iota.
func.func @main() -> (tensor<128x64xf32>, tensor<4096xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<64xf32>
  %0 = stablehlo.negate %i : tensor<64xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<64xf32>) -> tensor<128x64xf32>
  %j = stablehlo.iota dim = 0 : tensor<4096xi32>
  %2 = stablehlo.negate %j : tensor<4096xi32>
  return %1, %2 : tensor<128x64xf32>, tensor<4096xi32>
}
// ==>
// module {
//   func.func @main() -> (tensor<128x64xf32>, tensor<4096xi32>) {
//     %0 = stablehlo.constant dense<[-0.000000e+00, -1.000000e+00, -2.000000e+00, -3.000000e+00, -4.000000e+00, -5.000000e+00, -6.000000e+00, -7.000000e+00, -8.000000e+00, -9.000000e+00, -1.000000e+01, -1.100000e+01, -1.200000e+01, -1.300000e+01, -1.400000e+01, -1.500000e+01, -1.600000e+01, -1.700000e+01, -1.800000e+01, -1.900000e+01, -2.000000e+01, -2.100000e+01, -2.200000e+01, -2.300000e+01, -2.400000e+01, -2.500000e+01, -2.600000e+01, -2.700000e+01, -2.800000e+01, -2.900000e+01, -3.000000e+01, -3.100000e+01, -3.200000e+01, -3.300000e+01, -3.400000e+01, -3.500000e+01, -3.600000e+01, -3.700000e+01, -3.800000e+01, -3.900000e+01, -4.000000e+01, -4.100000e+01, -4.200000e+01, -4.300000e+01, -4.400000e+01, -4.500000e+01, -4.600000e+01, -4.700000e+01, -4.800000e+01, -4.900000e+01, -5.000000e+01, -5.100000e+01, -5.200000e+01, -5.300000e+01, -5.400000e+01, -5.500000e+01, -5.600000e+01, -5.700000e+01, -5.800000e+01, -5.900000e+01, -6.000000e+01, -6.100000e+01, -6.200000e+01, -6.300000e+01]> : tensor<64xf32>
//     %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<64xf32>) -> tensor<128x64xf32>
//     %j = stablehlo.iota dim = 0 : tensor<4096xi32>
//     %2 = stablehlo.negate %j : tensor<4096xi32>
//     return %1, %2 : tensor<128x64xf32>, tensor<4096xi32>
//   }
// }
// -----
// stage: opt(constant-folding, dead-code)
// Regions may use constants from outside; loops are left alone.
func.func @main() -> (tensor<i32>, tensor<i32>) {
  %c = stablehlo.constant dense<[3, 1, 2]> : tensor<3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %0 = stablehlo.reduce(%c init: %zero) across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
   reducer(%a: tensor<i32>, %b: tensor<i32>) {
    %d = stablehlo.multiply %b, %ten : tensor<i32>
    %e = stablehlo.add %a, %d : tensor<i32>
    stablehlo.return %e : tensor<i32>
  }
  %1 = stablehlo.while(%i = %zero) : tensor<i32>
  cond {
    %f = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %f : tensor<i1>
  } do {
    %g = stablehlo.add %i, %ten : tensor<i32>
    stablehlo.return %g : tensor<i32>
  }
  return %0, %1 : tensor<i32>, tensor<i32>
}
// ==>
// module {
//   func.func @main() -> (tensor<i32>, tensor<i32>) {
//     %zero = stablehlo.constant dense<0> : tensor<i32>
//     %ten = stablehlo.constant dense<10> : tensor<i32>
//     %0 = stablehlo.constant dense<60> : tensor<i32>
//     %1 = stablehlo.while(%i = %zero) : tensor<i32>
//     cond {
//       %f = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
//       stablehlo.return %f : tensor<i1>
//     } do {
//       %g = stablehlo.add %i, %ten : tensor<i32>
//       stablehlo.return %g : tensor<i32>
//     }
//     return %0, %1 : tensor<i32>, tensor<i32>
//   }
// }
