// stage: opt(sink-moves)
// Transposes meet behind what does not care, and are gone.
func.func @main(%x: tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32> {
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %bias = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<3xf32>) -> tensor<1x3x4x5xf32>
  %t = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %a = stablehlo.add %t, %bias : tensor<1x3x4x5xf32>
  %g = stablehlo.logistic %a : tensor<1x3x4x5xf32>
  %s = stablehlo.multiply %a, %g : tensor<1x3x4x5xf32>
  %u = stablehlo.transpose %s, dims = [0, 2, 3, 1] : (tensor<1x3x4x5xf32>) -> tensor<1x4x5x3xf32>
  return %u : tensor<1x4x5x3xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32> {
//     %c = stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
//     %bias = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<3xf32>) -> tensor<1x3x4x5xf32>
//     %0 = stablehlo.broadcast_in_dim %c, dims = [3] : (tensor<3xf32>) -> tensor<1x4x5x3xf32>
//     %1 = stablehlo.add %x, %0 : tensor<1x4x5x3xf32>
//     %2 = stablehlo.logistic %1 : tensor<1x4x5x3xf32>
//     %3 = stablehlo.multiply %1, %2 : tensor<1x4x5x3xf32>
//     return %3 : tensor<1x4x5x3xf32>
//   }
// }
// -----
// stage: opt(sink-moves)
// Two transposes become one behind a sum, and a shorter one behind a conversion.
func.func @main(%x: tensor<4x5xf32>, %y: tensor<4x5xf32>) -> tensor<5x4xf16> {
  %s = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %t = stablehlo.transpose %y, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %a = stablehlo.add %s, %t : tensor<5x4xf32>
  %b = stablehlo.convert %a : (tensor<5x4xf32>) -> tensor<5x4xf16>
  return %b : tensor<5x4xf16>
}
// ==>
// module {
//   func.func @main(%x: tensor<4x5xf32>, %y: tensor<4x5xf32>) -> tensor<5x4xf16> {
//     %0 = stablehlo.add %x, %y : tensor<4x5xf32>
//     %1 = stablehlo.convert %0 : (tensor<4x5xf32>) -> tensor<4x5xf16>
//     %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x5xf16>) -> tensor<5x4xf16>
//     return %2 : tensor<5x4xf16>
//   }
// }
// -----
// stage: opt(sink-moves)
// Nothing is gained: these stay.
func.func @main(%x: tensor<4x5xf32>, %y: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %a = stablehlo.tanh %t : tensor<5x4xf32>
  %b = stablehlo.add %a, %y : tensor<5x4xf32>
  return %t, %a, %b : tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<4x5xf32>, %y: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) {
//     %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
//     %a = stablehlo.tanh %t : tensor<5x4xf32>
//     %b = stablehlo.add %a, %y : tensor<5x4xf32>
//     return %t, %a, %b : tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>
//   }
// }
// -----
// stage: opt(sink-moves)
// Windows and means over the same elements in the same order.
func.func @main(%x: tensor<1x4x6x3xf32>) -> tensor<1x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %t = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<1x4x6x3xf32>) -> tensor<1x3x4x6xf32>
  %w = "stablehlo.reduce_window"(%t, %low) <{window_dimensions = array<i64: 1, 1, 2, 3>, window_strides = array<i64: 1, 1, 2, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<1x3x4x6xf32>, tensor<f32>) -> tensor<1x3x2x2xf32>
  %s = stablehlo.reduce(%w init: %zero) applies stablehlo.add across dimensions = [2, 3] : (tensor<1x3x2x2xf32>, tensor<f32>) -> tensor<1x3xf32>
  return %s : tensor<1x3xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<1x4x6x3xf32>) -> tensor<1x3xf32> {
//     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//     %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
//     %0 = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 1, 2, 3, 1>, window_strides = array<i64: 1, 2, 3, 1>}> ({
//     ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
//       %1 = stablehlo.maximum %arg0, %arg1 : tensor<f32>
//       stablehlo.return %1 : tensor<f32>
//     }) : (tensor<1x4x6x3xf32>, tensor<f32>) -> tensor<1x2x2x3xf32>
//     %s = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<1x2x2x3xf32>, tensor<f32>) -> tensor<1x3xf32>
//     return %s : tensor<1x3xf32>
//   }
// }
// -----
// stage: opt(sink-moves)
// A sum that would be taken in another order stays.
func.func @main(%x: tensor<4x5xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %s = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
}
// ==>
// module {
//   func.func @main(%x: tensor<4x5xf32>) -> tensor<f32> {
//     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//     %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
//     %s = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<f32>
//     return %s : tensor<f32>
//   }
// }
// -----
// stage: opt(sink-moves)
// Reshapes between matrix products and what is behind them.
func.func @main(%x: tensor<6x8xf32>, %w: tensor<8x8xf32>) -> tensor<6x8xf32> {
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %bias = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %r = stablehlo.reshape %y : (tensor<6x8xf32>) -> tensor<2x3x8xf32>
  %a = stablehlo.add %r, %bias : tensor<2x3x8xf32>
  %t = stablehlo.tanh %a : tensor<2x3x8xf32>
  %s = stablehlo.reshape %t : (tensor<2x3x8xf32>) -> tensor<6x8xf32>
  %z = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  return %z : tensor<6x8xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<6x8xf32>, %w: tensor<8x8xf32>) -> tensor<6x8xf32> {
//     %c = stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00]> : tensor<8xf32>
//     %bias = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
//     %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
//     %0 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<8xf32>) -> tensor<6x8xf32>
//     %1 = stablehlo.add %y, %0 : tensor<6x8xf32>
//     %2 = stablehlo.tanh %1 : tensor<6x8xf32>
//     %z = stablehlo.dot_general %2, %w, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
//     return %z : tensor<6x8xf32>
//   }
// }
// -----
// stage: opt(sink-moves)
// Statistics with a dimension of one element that is repeated.
func.func @main(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %eighth = stablehlo.constant dense<0.125> : tensor<2x3x1xf32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3xf32>
  %r = stablehlo.reshape %s : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
  %m = stablehlo.multiply %r, %eighth : tensor<2x3x1xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %y = stablehlo.subtract %x, %b : tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
//     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//     %eighth = stablehlo.constant dense<1.250000e-01> : tensor<2x3x1xf32>
//     %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3xf32>
//     %0 = stablehlo.constant dense<1.250000e-01> : tensor<2x3xf32>
//     %1 = stablehlo.multiply %s, %0 : tensor<2x3xf32>
//     %b = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
//     %y = stablehlo.subtract %x, %b : tensor<2x3x8xf32>
//     return %y : tensor<2x3x8xf32>
//   }
// }
