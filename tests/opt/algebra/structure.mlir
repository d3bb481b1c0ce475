// stage: opt(algebra, dead-code)
func.func @main(%x: tensor<3x5xf32>, %y: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %a = stablehlo.tuple %x, %y : tuple<tensor<3x5xf32>, tensor<i32>>
  %b = stablehlo.get_tuple_element %a[1] : (tuple<tensor<3x5xf32>, tensor<i32>>) -> tensor<i32>
  %c = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x5xf32>) -> tensor<i32>
  return %b, %c : tensor<i32>, tensor<i32>
}
// ==>
// module {
//   func.func @main(%x: tensor<3x5xf32>, %y: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
//     %0 = stablehlo.constant dense<5> : tensor<i32>
//     return %y, %0 : tensor<i32>, tensor<i32>
//   }
// }
