// stage: opt(common-subexpressions, dead-code)
func.func @main(%x: tensor<2xf32>, %p: tensor<i1>) -> tensor<2xf32> {
  %a = stablehlo.sine %x : tensor<2xf32>
  %b = stablehlo.sine %x : tensor<2xf32>
  %c = stablehlo.cosine %x : tensor<2xf32>
  %sum = stablehlo.add %a, %b : tensor<2xf32>
  %d = "stablehlo.if"(%p) ({
    %e = stablehlo.cosine %x : tensor<2xf32>
    stablehlo.return %e : tensor<2xf32>
  }, {
    stablehlo.return %c : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  %r = stablehlo.add %sum, %d : tensor<2xf32>
  return %r : tensor<2xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<2xf32>, %p: tensor<i1>) -> tensor<2xf32> {
//     %a = stablehlo.sine %x : tensor<2xf32>
//     %c = stablehlo.cosine %x : tensor<2xf32>
//     %sum = stablehlo.add %a, %a : tensor<2xf32>
//     %d = "stablehlo.if"(%p) ({
//       stablehlo.return %c : tensor<2xf32>
//     }, {
//       stablehlo.return %c : tensor<2xf32>
//     }) : (tensor<i1>) -> tensor<2xf32>
//     %r = stablehlo.add %sum, %d : tensor<2xf32>
//     return %r : tensor<2xf32>
//   }
// }
