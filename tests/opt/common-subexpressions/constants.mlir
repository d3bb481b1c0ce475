// stage: opt(common-subexpressions)
// Equal small constants are one.
func.func @main() -> (tensor<3xi32>, tensor<3xi32>) {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %b = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  return %a, %b : tensor<3xi32>, tensor<3xi32>
}
// ==>
// module {
//   func.func @main() -> (tensor<3xi32>, tensor<3xi32>) {
//     %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
//     return %a, %a : tensor<3xi32>, tensor<3xi32>
//   }
// }
