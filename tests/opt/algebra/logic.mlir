// stage: opt(algebra, dead-code)
func.func @main(%p: tensor<2xi1>, %i: tensor<2xui8>) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xui8>, tensor<2xui8>, tensor<2xi1>) {
  %true = stablehlo.constant dense<true> : tensor<2xi1>
  %false = stablehlo.constant dense<false> : tensor<2xi1>
  %ones = stablehlo.constant dense<255> : tensor<2xui8>
  %seven = stablehlo.constant dense<7> : tensor<2xui8>
  %a = stablehlo.and %p, %true : tensor<2xi1>
  %b = stablehlo.or %p, %true : tensor<2xi1>
  %c = stablehlo.and %ones, %i : tensor<2xui8>
  %d = stablehlo.and %i, %seven : tensor<2xui8>
  %e = stablehlo.select %p, %true, %false : tensor<2xi1>, tensor<2xi1>
  return %a, %b, %c, %d, %e : tensor<2xi1>, tensor<2xi1>, tensor<2xui8>, tensor<2xui8>, tensor<2xi1>
}
// ==>
// module {
//   func.func @main(%p: tensor<2xi1>, %i: tensor<2xui8>) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xui8>, tensor<2xui8>, tensor<2xi1>) {
//     %true = stablehlo.constant dense<true> : tensor<2xi1>
//     %seven = stablehlo.constant dense<7> : tensor<2xui8>
//     %d = stablehlo.and %i, %seven : tensor<2xui8>
//     return %p, %true, %i, %d, %p : tensor<2xi1>, tensor<2xi1>, tensor<2xui8>, tensor<2xui8>, tensor<2xi1>
//   }
// }
// -----
// stage: opt(algebra, dead-code)
// Not of a comparison of floats is one only for equality: NaN is in between otherwise.
func.func @main(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>) -> (tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>) {
  %a = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %b = stablehlo.not %a : tensor<i1>
  %c = stablehlo.compare EQ, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %d = stablehlo.not %c : tensor<i1>
  %e = stablehlo.compare LE, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %f = stablehlo.compare EQ, %x, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %b, %d, %e, %f : tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>
}
// ==>
// module {
//   func.func @main(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>) -> (tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>) {
//     %a = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
//     %b = stablehlo.not %a : tensor<i1>
//     %0 = stablehlo.compare NE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
//     %1 = stablehlo.constant dense<true> : tensor<i1>
//     %f = stablehlo.compare EQ, %x, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
//     return %b, %0, %1, %f : tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>
//   }
// }
// -----
// stage: opt(algebra, dead-code)
func.func @main(%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %false = stablehlo.constant dense<false> : tensor<2xi1>
  %a = stablehlo.select %false, %x, %y : tensor<2xi1>, tensor<2xf32>
  %not = stablehlo.not %p : tensor<i1>
  %b = stablehlo.select %not, %x, %y : tensor<i1>, tensor<2xf32>
  %c = stablehlo.select %p, %x, %x : tensor<i1>, tensor<2xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
// ==>
// module {
//   func.func @main(%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
//     %0 = stablehlo.select %p, %y, %x : tensor<i1>, tensor<2xf32>
//     return %y, %0, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
//   }
// }
