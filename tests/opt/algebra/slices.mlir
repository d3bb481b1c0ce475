// stage: opt(algebra, dead-code)
func.func @main(%x: tensor<10xf32>) -> (tensor<10xf32>, tensor<2xf32>, tensor<10xf32>, tensor<10xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.slice %x [0:10] : (tensor<10xf32>) -> tensor<10xf32>
  %b = stablehlo.slice %x [1:9:2] : (tensor<10xf32>) -> tensor<4xf32>
  %c = stablehlo.slice %b [1:4:2] : (tensor<4xf32>) -> tensor<2xf32>
  %d = stablehlo.pad %x, %zero, low = [0], high = [0], interior = [0] : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
  %e = stablehlo.concatenate %x, dim = 0 : (tensor<10xf32>) -> tensor<10xf32>
  return %a, %c, %d, %e : tensor<10xf32>, tensor<2xf32>, tensor<10xf32>, tensor<10xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<10xf32>) -> (tensor<10xf32>, tensor<2xf32>, tensor<10xf32>, tensor<10xf32>) {
//     %0 = stablehlo.slice %x [3:8:4] : (tensor<10xf32>) -> tensor<2xf32>
//     return %x, %0, %x, %x : tensor<10xf32>, tensor<2xf32>, tensor<10xf32>, tensor<10xf32>
//   }
// }
// -----
// stage: opt(algebra, dead-code)
func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>, %z: tensor<0xf32>) -> (tensor<7xf32>, tensor<2xf32>) {
  %a = stablehlo.concatenate %x, %z, %y, dim = 0 : (tensor<2xf32>, tensor<0xf32>, tensor<3xf32>) -> tensor<5xf32>
  %b = stablehlo.concatenate %a, %x, dim = 0 : (tensor<5xf32>, tensor<2xf32>) -> tensor<7xf32>
  %c = stablehlo.slice %a [3:5] : (tensor<5xf32>) -> tensor<2xf32>
  return %b, %c : tensor<7xf32>, tensor<2xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>, %z: tensor<0xf32>) -> (tensor<7xf32>, tensor<2xf32>) {
//     %0 = stablehlo.concatenate %x, %y, %x, dim = 0 : (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<7xf32>
//     %1 = stablehlo.slice %y [1:3] : (tensor<3xf32>) -> tensor<2xf32>
//     return %0, %1 : tensor<7xf32>, tensor<2xf32>
//   }
// }
// -----
// stage: opt(algebra, dead-code)
// Start indices are moved inside.
func.func @main(%x: tensor<10xf32>, %i: tensor<i32>) -> (tensor<3xf32>, tensor<10xf32>, tensor<10xf32>) {
  %far = stablehlo.constant dense<100> : tensor<i32>
  %a = stablehlo.dynamic_slice %x, %far, sizes = [3] : (tensor<10xf32>, tensor<i32>) -> tensor<3xf32>
  %b = stablehlo.dynamic_slice %x, %i, sizes = [10] : (tensor<10xf32>, tensor<i32>) -> tensor<10xf32>
  %y = stablehlo.negate %x : tensor<10xf32>
  %c = stablehlo.dynamic_update_slice %x, %y, %i : (tensor<10xf32>, tensor<10xf32>, tensor<i32>) -> tensor<10xf32>
  return %a, %b, %c : tensor<3xf32>, tensor<10xf32>, tensor<10xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<10xf32>, %i: tensor<i32>) -> (tensor<3xf32>, tensor<10xf32>, tensor<10xf32>) {
//     %0 = stablehlo.slice %x [7:10] : (tensor<10xf32>) -> tensor<3xf32>
//     %y = stablehlo.negate %x : tensor<10xf32>
//     return %0, %x, %y : tensor<3xf32>, tensor<10xf32>, tensor<10xf32>
//   }
// }
