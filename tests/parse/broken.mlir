// stage: parse
// expect-error: INVALID_ARGUMENT
func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  return %arg1 : tensor<2xf32>
}
// ==>
// INVALID_ARGUMENT: 4:10: %arg1 is not defined before its use
//     return %arg1 : tensor<2xf32>
//            ^
// -----
// stage: parse
// expect-error: INVALID_ARGUMENT
func.func @main(%arg0: tensor<2xf32> -> tensor<2xf32> {
  return %arg0 : tensor<2xf32>
}
// ==>
// INVALID_ARGUMENT: 3:38: expected ',', found '-'
//   func.func @main(%arg0: tensor<2xf32> -> tensor<2xf32> {
//                                        ^
// -----
// stage: parse
// expect-error: INVALID_ARGUMENT
func.func @main() -> tensor<2x3xf32> {
  %0 = stablehlo.constant dense<[[1.0, 2.0], [3.0]]> : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// ==>
// INVALID_ARGUMENT: 4:44: a list of 2 where the type says 3
//     %0 = stablehlo.constant dense<[[1.0, 2.0], [3.0]]> : tensor<2x3xf32>
//                                              ^
// -----
// stage: parse
// expect-error: INVALID_ARGUMENT
func.func @main() -> tensor<99999999999999999999xf32> {
}
// ==>
// INVALID_ARGUMENT: 3:29: an extent above 2^63
//   func.func @main() -> tensor<99999999999999999999xf32> {
//                               ^
// -----
// stage: parse
// expect-error: UNIMPLEMENTED
func.func @main() -> tensor<3xf33> {
}
// ==>
// UNIMPLEMENTED: 3:31: the element type f33 is unknown
//   func.func @main() -> tensor<3xf33> {
//                                 ^
// -----
// stage: parse
// expect-error: UNIMPLEMENTED
func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "tosa.abs"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ==>
// UNIMPLEMENTED: 4:8: the operation tosa.abs is not supported
//     %0 = "tosa.abs"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
//          ^
// -----
// stage: parse
// expect-error: UNIMPLEMENTED
func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.absolute %arg0 : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ==>
// UNIMPLEMENTED: 4:8: the operation stablehlo.absolute is not supported here
//     %0 = stablehlo.absolute %arg0 : tensor<2xf32>
//          ^
// -----
// stage: parse
// expect-error: INVALID_ARGUMENT
func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
  %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ==>
// INVALID_ARGUMENT: 5:3: %0 is defined twice
//     %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
//     ^
// -----
// stage: parse
// expect-error: INVALID_ARGUMENT
func.func @main() {
  return
// ==>
// INVALID_ARGUMENT: 5:1: expected '}', found the end of the text
//
//   ^
