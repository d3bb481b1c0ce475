// stage: roundtrip
func.func @main(%x: tensor<2x3xf32>, %at: tensor<i32>) -> tensor<4x9xf32> {
  %turned = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %back = stablehlo.reverse %turned, dims = [0] : tensor<3x2xf32>
  %flat = stablehlo.reshape %back : (tensor<3x2xf32>) -> tensor<6xf32>
  %wide = stablehlo.broadcast_in_dim %flat, dims = [1] : (tensor<6xf32>) -> tensor<2x6xf32>
  %part = stablehlo.slice %wide [0:2, 1:6:2] : (tensor<2x6xf32>) -> tensor<2x3xf32>
  %long = stablehlo.concatenate %part, %wide, dim = 1 : (tensor<2x3xf32>, tensor<2x6xf32>) -> tensor<2x9xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %padded = stablehlo.pad %long, %zero, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<2x9xf32>, tensor<f32>) -> tensor<4x9xf32>
  %row = stablehlo.dynamic_slice %padded, %at, %at, sizes = [1, 9] : (tensor<4x9xf32>, tensor<i32>, tensor<i32>) -> tensor<1x9xf32>
  %new = stablehlo.dynamic_update_slice %padded, %row, %at, %at : (tensor<4x9xf32>, tensor<1x9xf32>, tensor<i32>, tensor<i32>) -> tensor<4x9xf32>
  return %new : tensor<4x9xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<2x3xf32>, %at: tensor<i32>) -> tensor<4x9xf32> {
//     %turned = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
//     %back = stablehlo.reverse %turned, dims = [0] : tensor<3x2xf32>
//     %flat = stablehlo.reshape %back : (tensor<3x2xf32>) -> tensor<6xf32>
//     %wide = stablehlo.broadcast_in_dim %flat, dims = [1] : (tensor<6xf32>) -> tensor<2x6xf32>
//     %part = stablehlo.slice %wide [0:2, 1:6:2] : (tensor<2x6xf32>) -> tensor<2x3xf32>
//     %long = stablehlo.concatenate %part, %wide, dim = 1 : (tensor<2x3xf32>, tensor<2x6xf32>) -> tensor<2x9xf32>
//     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//     %padded = stablehlo.pad %long, %zero, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<2x9xf32>, tensor<f32>) -> tensor<4x9xf32>
//     %row = stablehlo.dynamic_slice %padded, %at, %at, sizes = [1, 9] : (tensor<4x9xf32>, tensor<i32>, tensor<i32>) -> tensor<1x9xf32>
//     %new = stablehlo.dynamic_update_slice %padded, %row, %at, %at : (tensor<4x9xf32>, tensor<1x9xf32>, tensor<i32>, tensor<i32>) -> tensor<4x9xf32>
//     return %new : tensor<4x9xf32>
//   }
// }
// -----
// stage: roundtrip
func.func @main(%table: tensor<5x3xf32>, %rows: tensor<2x1xi32>, %new: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<5x3xf32>) {
  %taken = "stablehlo.gather"(%table, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  %put = "stablehlo.scatter"(%table, %rows, %new) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%old: tensor<f32>, %more: tensor<f32>):
    %sum = stablehlo.add %old, %more : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<5x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  return %taken, %put : tensor<2x3xf32>, tensor<5x3xf32>
}
// ==>
// module {
//   func.func @main(%table: tensor<5x3xf32>, %rows: tensor<2x1xi32>, %new: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<5x3xf32>) {
//     %taken = "stablehlo.gather"(%table, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
//     %put = "stablehlo.scatter"(%table, %rows, %new) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
//     ^bb0(%old: tensor<f32>, %more: tensor<f32>):
//       %sum = stablehlo.add %old, %more : tensor<f32>
//       stablehlo.return %sum : tensor<f32>
//     }) : (tensor<5x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<5x3xf32>
//     return %taken, %put : tensor<2x3xf32>, tensor<5x3xf32>
//   }
// }
