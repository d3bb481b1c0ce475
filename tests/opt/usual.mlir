// stage: opt(constant-branches, dead-code)
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %yes = stablehlo.constant dense<true> : tensor<i1>
  %y = "stablehlo.if"(%yes) ({
    %s = stablehlo.sine %x : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %y : tensor<f32>
}
// ==>
// module {
//   func.func @main(%x: tensor<f32>) -> tensor<f32> {
//     %s = stablehlo.sine %x : tensor<f32>
//     return %s : tensor<f32>
//   }
// }
// -----
// stage: opt(inline-calls, dead-code)
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = call @twice(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @twice(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.add %x, %x : tensor<f32>
  return %y : tensor<f32>
}
// ==>
// module {
//   func.func @main(%x: tensor<f32>) -> tensor<f32> {
//     %y = stablehlo.add %x, %x : tensor<f32>
//     return %y : tensor<f32>
//   }
// }
// -----
// stage: opt
func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %u = stablehlo.transpose %t, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %flat = stablehlo.reshape %u : (tensor<2x3xf32>) -> tensor<6xf32>
  %back = stablehlo.reshape %flat : (tensor<6xf32>) -> tensor<3x2xf32>
  %one = stablehlo.constant dense<1.0> : tensor<3x2xf32>
  %same = stablehlo.multiply %back, %one : tensor<3x2xf32>
  return %same : tensor<3x2xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
//     %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<3x2xf32>
//     return %0 : tensor<3x2xf32>
//   }
// }
// -----
// stage: opt(no-such-pass)
// expect-error: NOT_FOUND
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
// ==>
// NOT_FOUND: no pass is called `no-such-pass`; there are inline-calls, constant-branches, constant-folding, algebra, fold-weights, fold-batch-norm, decompose-batch-norm, widen-contractions, canonicalize-convolution, simplify-reductions, sink-moves, common-subexpressions, dead-code
