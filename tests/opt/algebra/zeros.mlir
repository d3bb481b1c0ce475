// stage: opt(algebra, dead-code)
// What is neutral to floats: adding -0, subtracting 0, and neither the other way round.
func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %minus = stablehlo.constant dense<-0.0> : tensor<f32>
  %a = stablehlo.add %x, %zero : tensor<f32>
  %b = stablehlo.add %minus, %x : tensor<f32>
  %c = stablehlo.subtract %x, %zero : tensor<f32>
  %d = stablehlo.subtract %x, %minus : tensor<f32>
  return %a, %b, %c, %d : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
// ==>
// module {
//   func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
//     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//     %minus = stablehlo.constant dense<-0.000000e+00> : tensor<f32>
//     %a = stablehlo.add %x, %zero : tensor<f32>
//     %d = stablehlo.subtract %x, %minus : tensor<f32>
//     return %a, %x, %x, %d : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
//   }
// }
// -----
// stage: opt(algebra, dead-code)
// Zero times a float may be NaN; zero times an integer is zero.
func.func @main(%x: tensor<2xf32>, %i: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %none = stablehlo.constant dense<0> : tensor<2xi32>
  %a = stablehlo.multiply %x, %zero : tensor<2xf32>
  %b = stablehlo.multiply %none, %i : tensor<2xi32>
  %c = stablehlo.subtract %i, %i : tensor<2xi32>
  %d = stablehlo.subtract %x, %x : tensor<2xf32>
  return %a, %b, %c, %d : tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<2xf32>, %i: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>) {
//     %zero = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
//     %none = stablehlo.constant dense<0> : tensor<2xi32>
//     %a = stablehlo.multiply %x, %zero : tensor<2xf32>
//     %0 = stablehlo.constant dense<0> : tensor<2xi32>
//     %d = stablehlo.subtract %x, %x : tensor<2xf32>
//     return %a, %none, %0, %d : tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>
//   }
// }
// -----
// stage: opt(algebra, dead-code)
// Ones, powers, divisors.
func.func @main(%x: tensor<2xf32>, %i: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) {
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %two = stablehlo.constant dense<2.0> : tensor<2xf32>
  %eight = stablehlo.constant dense<8.0> : tensor<2xf32>
  %three = stablehlo.constant dense<3.0> : tensor<2xf32>
  %four = stablehlo.constant dense<4> : tensor<2xi32>
  %a = stablehlo.multiply %one, %x : tensor<2xf32>
  %b = stablehlo.power %a, %two : tensor<2xf32>
  %c = stablehlo.divide %x, %eight : tensor<2xf32>
  %d = stablehlo.divide %x, %three : tensor<2xf32>
  %e = stablehlo.divide %i, %four : tensor<2xi32>
  return %a, %b, %c, %d, %e : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>
}
// ==>
// module {
//   func.func @main(%x: tensor<2xf32>, %i: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) {
//     %three = stablehlo.constant dense<3.000000e+00> : tensor<2xf32>
//     %four = stablehlo.constant dense<4> : tensor<2xi32>
//     %0 = stablehlo.multiply %x, %x : tensor<2xf32>
//     %1 = stablehlo.constant dense<1.250000e-01> : tensor<2xf32>
//     %2 = stablehlo.multiply %x, %1 : tensor<2xf32>
//     %d = stablehlo.divide %x, %three : tensor<2xf32>
//     %e = stablehlo.divide %i, %four : tensor<2xi32>
//     return %x, %0, %2, %d, %e : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>
//   }
// }
