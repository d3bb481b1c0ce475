// stage: opt(fold-batch-norm, dead-code)
// What is multiplied goes into the weights, what is added is added once.
func.func @main(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %mean = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %factor = stablehlo.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %offset = stablehlo.constant dense<[0.25, 8.0]> : tensor<2xf32>
  %means = stablehlo.broadcast_in_dim %mean, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
  %factors = stablehlo.broadcast_in_dim %factor, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
  %offsets = stablehlo.broadcast_in_dim %offset, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %a = stablehlo.subtract %y, %means : tensor<3x2xf32>
  %b = stablehlo.multiply %a, %factors : tensor<3x2xf32>
  %c = stablehlo.add %b, %offsets : tensor<3x2xf32>
  return %c : tensor<3x2xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
//     %0 = stablehlo.constant dense<[[5.000000e-01, 4.000000e+00], [1.500000e+00, 8.000000e+00]]> : tensor<2x2xf32>
//     %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
//     %2 = stablehlo.constant dense<[-2.500000e-01, 4.000000e+00]> : tensor<2xf32>
//     %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
//     %4 = stablehlo.add %1, %3 : tensor<3x2xf32>
//     return %4 : tensor<3x2xf32>
//   }
// }
// -----
// stage: opt(fold-batch-norm)
// One addition stays; so does what varies along other dimensions, what is not `f32`, and what
// would not stay finite.
func.func @main(%x: tensor<3x2xf32>, %y: tensor<3x2xf64>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf64>, tensor<3x2xf32>) {
  %w = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %w64 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>
  %c = stablehlo.constant dense<[[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]> : tensor<3x2xf32>
  %rows = stablehlo.constant dense<[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]> : tensor<3x2xf32>
  %two = stablehlo.constant dense<2.0> : tensor<3x2xf64>
  %huge = stablehlo.constant dense<3.0e38> : tensor<3x2xf32>
  %d0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %d1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %d2 = stablehlo.dot_general %y, %w64, contracting_dims = [1] x [0] : (tensor<3x2xf64>, tensor<2x2xf64>) -> tensor<3x2xf64>
  %a = stablehlo.add %d0, %c : tensor<3x2xf32>
  %b = stablehlo.multiply %d1, %rows : tensor<3x2xf32>
  %e = stablehlo.multiply %d2, %two : tensor<3x2xf64>
  %d4 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %f = stablehlo.multiply %d4, %huge : tensor<3x2xf32>
  return %a, %b, %e, %f : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf64>, tensor<3x2xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<3x2xf32>, %y: tensor<3x2xf64>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf64>, tensor<3x2xf32>) {
//     %w = stablehlo.constant dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
//     %w64 = stablehlo.constant dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf64>
//     %c = stablehlo.constant dense<[[1.000000e+00, 2.000000e+00], [1.000000e+00, 2.000000e+00], [1.000000e+00, 2.000000e+00]]> : tensor<3x2xf32>
//     %rows = stablehlo.constant dense<[[1.000000e+00, 1.000000e+00], [2.000000e+00, 2.000000e+00], [3.000000e+00, 3.000000e+00]]> : tensor<3x2xf32>
//     %two = stablehlo.constant dense<2.000000e+00> : tensor<3x2xf64>
//     %huge = stablehlo.constant dense<3.000000e+38> : tensor<3x2xf32>
//     %d0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
//     %d1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
//     %d2 = stablehlo.dot_general %y, %w64, contracting_dims = [1] x [0] : (tensor<3x2xf64>, tensor<2x2xf64>) -> tensor<3x2xf64>
//     %a = stablehlo.add %d0, %c : tensor<3x2xf32>
//     %b = stablehlo.multiply %d1, %rows : tensor<3x2xf32>
//     %e = stablehlo.multiply %d2, %two : tensor<3x2xf64>
//     %d4 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
//     %f = stablehlo.multiply %d4, %huge : tensor<3x2xf32>
//     return %a, %b, %e, %f : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf64>, tensor<3x2xf32>
//   }
// }
