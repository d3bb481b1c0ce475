// stage: opt(inline-calls)
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @twice(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @twice(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @once(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @once(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @once(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.sine %x : tensor<f32>
  return %0 : tensor<f32>
}
// ==>
// module {
//   func.func @main(%x: tensor<f32>) -> tensor<f32> {
//     %0 = stablehlo.sine %x : tensor<f32>
//     %1 = stablehlo.sine %0 : tensor<f32>
//     return %1 : tensor<f32>
//   }
//   func.func private @twice(%x: tensor<f32>) -> tensor<f32> {
//     %0 = stablehlo.sine %x : tensor<f32>
//     %1 = stablehlo.sine %0 : tensor<f32>
//     return %1 : tensor<f32>
//   }
//   func.func private @once(%x: tensor<f32>) -> tensor<f32> {
//     %0 = stablehlo.sine %x : tensor<f32>
//     return %0 : tensor<f32>
//   }
// }
// -----
// stage: opt(inline-calls, dead-code)
// Calls in regions, and composites.
func.func @main(%pred: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%pred) ({
    %a = call @helper(%x) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %a : tensor<f32>
  }, {
    %b = stablehlo.composite "my.helper" %x {decomposition = @helper} : (tensor<f32>) -> tensor<f32>
    stablehlo.return %b : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @helper(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.sine %x : tensor<f32>
  return %0 : tensor<f32>
}
// ==>
// module {
//   func.func @main(%pred: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
//     %0 = "stablehlo.if"(%pred) ({
//       %1 = stablehlo.sine %x : tensor<f32>
//       stablehlo.return %1 : tensor<f32>
//     }, {
//       %1 = stablehlo.sine %x : tensor<f32>
//       stablehlo.return %1 : tensor<f32>
//     }) : (tensor<i1>) -> tensor<f32>
//     return %0 : tensor<f32>
//   }
// }
