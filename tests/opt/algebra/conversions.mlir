// stage: opt(algebra, dead-code)
// There and back through a wider type is nothing; through a narrower one it is rounding.
func.func @main(%x: tensor<bf16>, %y: tensor<f32>, %i: tensor<i8>) -> (tensor<bf16>, tensor<f32>, tensor<f32>, tensor<i8>) {
  %a = stablehlo.convert %x : (tensor<bf16>) -> tensor<f32>
  %b = stablehlo.convert %a : (tensor<f32>) -> tensor<bf16>
  %c = stablehlo.convert %y : (tensor<f32>) -> tensor<bf16>
  %d = stablehlo.convert %c : (tensor<bf16>) -> tensor<f32>
  %e = stablehlo.convert %i : (tensor<i8>) -> tensor<i32>
  %f = stablehlo.convert %e : (tensor<i32>) -> tensor<f32>
  %g = stablehlo.convert %e : (tensor<i32>) -> tensor<i8>
  return %b, %d, %f, %g : tensor<bf16>, tensor<f32>, tensor<f32>, tensor<i8>
}
// ==>
// module {
//   func.func @main(%x: tensor<bf16>, %y: tensor<f32>, %i: tensor<i8>) -> (tensor<bf16>, tensor<f32>, tensor<f32>, tensor<i8>) {
//     %c = stablehlo.convert %y : (tensor<f32>) -> tensor<bf16>
//     %d = stablehlo.convert %c : (tensor<bf16>) -> tensor<f32>
//     %0 = stablehlo.convert %i : (tensor<i8>) -> tensor<f32>
//     return %x, %d, %0, %i : tensor<bf16>, tensor<f32>, tensor<f32>, tensor<i8>
//   }
// }
// -----
// stage: opt(algebra, dead-code)
func.func @main(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<complex<f32>>) -> (tensor<f32>, tensor<complex<f32>>) {
  %a = stablehlo.complex %x, %y : tensor<complex<f32>>
  %b = stablehlo.imag %a : (tensor<complex<f32>>) -> tensor<f32>
  %c = stablehlo.real %z : (tensor<complex<f32>>) -> tensor<f32>
  %d = stablehlo.imag %z : (tensor<complex<f32>>) -> tensor<f32>
  %e = stablehlo.complex %c, %d : tensor<complex<f32>>
  return %b, %e : tensor<f32>, tensor<complex<f32>>
}
// ==>
// module {
//   func.func @main(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<complex<f32>>) -> (tensor<f32>, tensor<complex<f32>>) {
//     return %y, %z : tensor<f32>, tensor<complex<f32>>
//   }
// }
