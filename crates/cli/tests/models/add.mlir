func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<i1>) {
  %sum = stablehlo.add %a, %b : tensor<2xf32>
  %zero = stablehlo.constant dense<true> : tensor<i1>
  return %sum, %zero : tensor<2xf32>, tensor<i1>
}
