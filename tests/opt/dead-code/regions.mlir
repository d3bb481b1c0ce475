// stage: opt(dead-code)
// A branch without effects goes with all that is in it; inside of one that stays, what it does not
// return goes.
func.func @main(%pred: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %unused = "stablehlo.if"(%pred) ({
    %a = stablehlo.sine %x : tensor<f32>
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  %kept = "stablehlo.if"(%pred) ({
    %b = stablehlo.tanh %x : tensor<f32>
    %c = stablehlo.cosine %b : tensor<f32>
    stablehlo.return %x : tensor<f32>
  }, {
    %d = stablehlo.negate %x : tensor<f32>
    stablehlo.return %d : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %kept : tensor<f32>
}
// ==>
// module {
//   func.func @main(%pred: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
//     %kept = "stablehlo.if"(%pred) ({
//       stablehlo.return %x : tensor<f32>
//     }, {
//       %d = stablehlo.negate %x : tensor<f32>
//       stablehlo.return %d : tensor<f32>
//     }) : (tensor<i1>) -> tensor<f32>
//     return %kept : tensor<f32>
//   }
// }
