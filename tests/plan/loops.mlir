// A softmax with a scale behind it is one kernel of three passes; what the second pass computed at
// a cost is read back by the third.
// stage: plan
func.func @main(%x: tensor<2x5x70xf32>, %g: tensor<70xf32>) -> tensor<2x5x70xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [2] : (tensor<2x5x70xf32>, tensor<f32>) -> tensor<2x5xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x70xf32>
  %c = stablehlo.subtract %x, %mb : tensor<2x5x70xf32>
  %e = stablehlo.exponential %c : tensor<2x5x70xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x5x70xf32>, tensor<f32>) -> tensor<2x5xf32>
  %sr = stablehlo.reshape %s : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
  %sb = stablehlo.broadcast_in_dim %sr, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x70xf32>
  %d = stablehlo.divide %e, %sb : tensor<2x5x70xf32>
  %gb = stablehlo.broadcast_in_dim %g, dims = [2] : (tensor<70xf32>) -> tensor<2x5x70xf32>
  %r = stablehlo.multiply %d, %gb : tensor<2x5x70xf32>
  return %r : tensor<2x5x70xf32>
}
// -----
// A layer norm: the cheap difference is computed again rather than kept.
// stage: plan
func.func @main(%x: tensor<3x768xf32>) -> tensor<3x768xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<768.0> : tensor<3xf32>
  %eps = stablehlo.constant dense<1.0e-5> : tensor<3xf32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x768xf32>, tensor<f32>) -> tensor<3xf32>
  %mean = stablehlo.divide %s, %n : tensor<3xf32>
  %mb = stablehlo.broadcast_in_dim %mean, dims = [0] : (tensor<3xf32>) -> tensor<3x768xf32>
  %c = stablehlo.subtract %x, %mb : tensor<3x768xf32>
  %cc = stablehlo.multiply %c, %c : tensor<3x768xf32>
  %v = stablehlo.reduce(%cc init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x768xf32>, tensor<f32>) -> tensor<3xf32>
  %vm = stablehlo.divide %v, %n : tensor<3xf32>
  %ve = stablehlo.add %vm, %eps : tensor<3xf32>
  %r = stablehlo.rsqrt %ve : tensor<3xf32>
  %rb = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<3xf32>) -> tensor<3x768xf32>
  %y = stablehlo.multiply %c, %rb : tensor<3x768xf32>
  return %y : tensor<3x768xf32>
}
// -----
// A mean over height and width keeps features in lanes.
// stage: plan
func.func @main(%x: tensor<2x7x7x40xf32>) -> tensor<2x40xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<49.0> : tensor<2x40xf32>
  %a = stablehlo.abs %x : tensor<2x7x7x40xf32>
  %s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x7x7x40xf32>, tensor<f32>) -> tensor<2x40xf32>
  %r = stablehlo.divide %s, %n : tensor<2x40xf32>
  return %r : tensor<2x40xf32>
}
// -----
// Small integers and sixteen-bit floats are cut to their type after each operation.
// stage: plan
func.func @main(%x: tensor<9xi8>, %h: tensor<9xbf16>) -> (tensor<9xi8>, tensor<9xi8>) {
  %y = stablehlo.add %x, %x : tensor<9xi8>
  %g = stablehlo.multiply %h, %h : tensor<9xbf16>
  %c = stablehlo.convert %g : (tensor<9xbf16>) -> tensor<9xi8>
  return %y, %c : tensor<9xi8>, tensor<9xi8>
}
// -----
// What reads a value turned over can't be in the loop that makes it; the transpose is a copy.
// stage: plan
func.func @main(%x: tensor<20x30xf32>) -> tensor<30x20xf32> {
  %y = stablehlo.tanh %x : tensor<20x30xf32>
  %t = stablehlo.transpose %y, dims = [1, 0] : (tensor<20x30xf32>) -> tensor<30x20xf32>
  %z = stablehlo.negate %t : tensor<30x20xf32>
  return %z : tensor<30x20xf32>
}
// -----
// A reduction over dimensions that are apart has no walk in rows and columns.
// stage: plan
func.func @main(%x: tensor<4x5x6x7xf32>) -> tensor<5x7xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 2] : (tensor<4x5x6x7xf32>, tensor<f32>) -> tensor<5x7xf32>
  return %s : tensor<5x7xf32>
}
