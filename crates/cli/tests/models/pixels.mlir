func.func @main(%image: tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> {
  return %image : tensor<1x2x3x3xf32>
}
