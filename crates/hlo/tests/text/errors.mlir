// Texts that are refused, each with what is said.

module {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %x %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// ==>
INVALID_ARGUMENT: 3:27: expected ':', found '%'
      %0 = stablehlo.add %x %x : tensor<2xf32>
                            ^

// -----

func.func @main(%x: tensor<2xf32>) {
  %0 = stablehlo.add %x, %y : tensor<2xf32>
  return
}
// ==>
INVALID_ARGUMENT: 2:26: %y is not defined before its use
    %0 = stablehlo.add %x, %y : tensor<2xf32>
                           ^

// -----

func.func @main(%x: tensor<2xf32>) {
  %x = stablehlo.abs %x : tensor<2xf32>
  return
}
// ==>
INVALID_ARGUMENT: 2:3: %x is defined twice
    %x = stablehlo.abs %x : tensor<2xf32>
    ^

// -----

func.func @main(%x: tensor<2xf32>) {
  %0 = stablehlo.abs %x : tensor<3xf32>
  return
}
// ==>
INVALID_ARGUMENT: 2:8: operand 0 is of type tensor<2xf32>, not tensor<3xf32> as written here
    %0 = stablehlo.abs %x : tensor<3xf32>
         ^

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xi32> {
  return %x : tensor<2xf32>
}
// ==>
INVALID_ARGUMENT: 1:11: @main returns (tensor<2xf32>), not (tensor<2xi32>) as it says
  func.func @main(%x: tensor<2xf32>) -> tensor<2xi32> {
            ^

// -----

func.func @main(%x: tensor<2xf32>) {
  %0:2 = stablehlo.abs %x : tensor<2xf32>
  return
}
// ==>
INVALID_ARGUMENT: 2:3: names for 2 results of an operation that has 1
    %0:2 = stablehlo.abs %x : tensor<2xf32>
    ^

// -----

func.func @main(%x: tensor<2xf32>) {
  %0 = "stablehlo.transpose"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// ==>
INVALID_ARGUMENT: 2:8: stablehlo.transpose needs the attribute permutation
    %0 = "stablehlo.transpose"(%x) : (tensor<2xf32>) -> tensor<2xf32>
         ^

// -----

func.func @main(%x: tensor<2xf32>) {
  %0 = "stablehlo.add"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// ==>
INVALID_ARGUMENT: 2:8: stablehlo.add with 1 operands
    %0 = "stablehlo.add"(%x) : (tensor<2xf32>) -> tensor<2xf32>
         ^

// -----

func.func @main(%x: tensor<2xf32>) {
  %0 = mhlo.fusion %x : tensor<2xf32>
  return
}
// ==>
UNIMPLEMENTED: 2:8: the operation mhlo.fusion is not supported here
    %0 = mhlo.fusion %x : tensor<2xf32>
         ^

// -----

func.func @main(%x: tensor<*xf32>) {
  return
}
// ==>
UNIMPLEMENTED: 1:28: tensors of unknown rank are not supported
  func.func @main(%x: tensor<*xf32>) {
                             ^

// -----

func.func @main() {
  %0 = stablehlo.constant dense<[1, 2.5]> : tensor<2xi32>
  return
}
// ==>
INVALID_ARGUMENT: 2:37: expected an element of type i32, found '2.5'
    %0 = stablehlo.constant dense<[1, 2.5]> : tensor<2xi32>
                                      ^

// -----

func.func @main() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>
  return
}
// ==>
INVALID_ARGUMENT: 2:39: a list of 2 where the type says 3
    %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>
                                        ^

// -----

func.func @main(%p: tensor<i1>) {
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
  ^bb0:
    stablehlo.return
  ^bb1:
  }) : (tensor<i1>) -> ()
  return
}
// ==>
INVALID_ARGUMENT: 7:3: expected '}', found '^'
    ^bb1:
    ^

// -----

func.func @main() {
  return
}
func.func @main() {
  return
}
// ==>
INVALID_ARGUMENT: 4:11: a second function @main
  func.func @main() {
            ^

// -----

func.func private @elsewhere(tensor<2xf32>) -> tensor<2xf32>
// ==>
UNIMPLEMENTED: 1:43: the function @elsewhere has no body
  func.func private @elsewhere(tensor<2xf32>) -> tensor<2xf32>
                                            ^

// -----

module {} module {}
// ==>
INVALID_ARGUMENT: 1:11: a second module; '// -----' lines separate modules
  module {} module {}
            ^

// -----

func.func @main() attributes {a = #missing} {
  return
}
// ==>
INVALID_ARGUMENT: 1:35: the alias #missing is not defined
  func.func @main() attributes {a = #missing} {
                                    ^

// -----

func.func @main() {
  return
// ==>
INVALID_ARGUMENT: 3:1: expected '}', found the end of the text
  
  ^
