// stage: opt(constant-branches)
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %0 = "stablehlo.if"(%true) ({
    %a = stablehlo.sine %x : tensor<f32>
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}
// ==>
// module {
//   func.func @main(%x: tensor<f32>) -> tensor<f32> {
//     %true = stablehlo.constant dense<true> : tensor<i1>
//     %a = stablehlo.sine %x : tensor<f32>
//     return %a : tensor<f32>
//   }
// }
// -----
// stage: opt(constant-branches)
// An index out of range takes the last branch.
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %index = stablehlo.constant dense<-1> : tensor<i32>
  %0 = "stablehlo.case"(%index) ({
    stablehlo.return %x : tensor<f32>
  }, {
    %a = stablehlo.sine %x : tensor<f32>
    %b = stablehlo.cosine %a : tensor<f32>
    stablehlo.return %b : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// ==>
// module {
//   func.func @main(%x: tensor<f32>) -> tensor<f32> {
//     %index = stablehlo.constant dense<-1> : tensor<i32>
//     %a = stablehlo.sine %x : tensor<f32>
//     %b = stablehlo.cosine %a : tensor<f32>
//     return %b : tensor<f32>
//   }
// }
// -----
// stage: opt(constant-branches)
// A loop that never starts is its operands.
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.while(%a = %x) : tensor<f32>
  cond {
    %false = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %false : tensor<i1>
  } do {
    %b = stablehlo.sine %a : tensor<f32>
    stablehlo.return %b : tensor<f32>
  }
  return %0 : tensor<f32>
}
// ==>
// module {
//   func.func @main(%x: tensor<f32>) -> tensor<f32> {
//     return %x : tensor<f32>
//   }
// }
