// stage: opt(constant-folding, dead-code)
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %two = stablehlo.add %one, %one : tensor<2xf32>
  %y = stablehlo.multiply %x, %two : tensor<2xf32>
  %n = stablehlo.iota dim = 0 : tensor<2xi32>
  %m = stablehlo.multiply %n, %n : tensor<2xi32>
  return %y, %m : tensor<2xf32>, tensor<2xi32>
}
// ==>
// module {
//   func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
//     %0 = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
//     %y = stablehlo.multiply %x, %0 : tensor<2xf32>
//     %1 = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
//     return %y, %1 : tensor<2xf32>, tensor<2xi32>
//   }
// }
