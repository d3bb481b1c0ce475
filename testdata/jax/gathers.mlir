module @gathers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
    %in1 = stablehlo.constant dense<[2, 0, 5]> : tensor<3xi32>
    %in2 = stablehlo.constant dense<[[0, 1], [3, 2], [1, 1]]> : tensor<3x2xi32>
    %out:4 = call @program(%in0, %in1, %in2) : (tensor<3x4xf32>, tensor<3xi32>, tensor<3x2xi32>) -> (tensor<3x4xf32>, tensor<3x2xf32>, tensor<3x4xf32>, tensor<3x2xf32>)
    %want0 = stablehlo.constant dense<[[8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01], [0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<3x4xf32>, tensor<3x4xf32>) -> ()
    %want1 = stablehlo.constant dense<[[0.0e+00, 1.0e+00], [7.0e+00, 6.0e+00], [9.0e+00, 9.0e+00]]> : tensor<3x2xf32>
    stablehlo.custom_call @check.expect_eq(%out#1, %want1) {has_side_effect = true} : (tensor<3x2xf32>, tensor<3x2xf32>) -> ()
    %want2 = stablehlo.constant dense<[[8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01], [0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [-1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00]]> : tensor<3x4xf32>
    stablehlo.custom_call @check.expect_eq(%out#2, %want2) {has_side_effect = true} : (tensor<3x4xf32>, tensor<3x4xf32>) -> ()
    %want3 = stablehlo.constant dense<[[4.0e+00, 5.0e+00], [7.0e+00, 6.0e+00], [5.0e+00, 5.0e+00]]> : tensor<3x2xf32>
    stablehlo.custom_call @check.expect_eq(%out#3, %want3) {has_side_effect = true} : (tensor<3x2xf32>, tensor<3x2xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<3x4xf32>, %arg1: tensor<3xi32>, %arg2: tensor<3x2xi32>) -> (tensor<3x4xf32> {jax.result_info = "result[0]"}, tensor<3x2xf32> {jax.result_info = "result[1]"}, tensor<3x4xf32> {jax.result_info = "result[2]"}, tensor<3x2xf32> {jax.result_info = "result[3]"}) {
    %0 = call @_take(%arg0, %arg1) : (tensor<3x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
    %1 = call @take_along_axis(%arg0, %arg2) : (tensor<3x4xf32>, tensor<3x2xi32>) -> tensor<3x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %3 = stablehlo.compare LT, %arg1, %2, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %5 = stablehlo.add %arg1, %4 : tensor<3xi32>
    %6 = stablehlo.select %3, %5, %arg1 : tensor<3xi1>, tensor<3xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %c_1 = stablehlo.constant dense<2> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3x1xi32>
    %9 = stablehlo.compare GE, %7, %8, SIGNED : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<3x1xi32>
    %12 = stablehlo.compare LE, %7, %11, SIGNED : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi1>
    %13 = stablehlo.and %9, %12 : tensor<3x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %14 = stablehlo.reduce(%13 init: %c_3) applies stablehlo.and across dimensions = [1] : (tensor<3x1xi1>, tensor<i1>) -> tensor<3xi1>
    %15 = "stablehlo.gather"(%arg0, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
    %16 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<3xi1>) -> tensor<3x4xi1>
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %18 = stablehlo.select %16, %15, %17 : tensor<3x4xi1>, tensor<3x4xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3x2xi32>
    %20 = stablehlo.compare LT, %arg2, %19, SIGNED : (tensor<3x2xi32>, tensor<3x2xi32>) -> tensor<3x2xi1>
    %c_5 = stablehlo.constant dense<4> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<3x2xi32>
    %22 = stablehlo.add %arg2, %21 : tensor<3x2xi32>
    %23 = stablehlo.select %20, %22, %arg2 : tensor<3x2xi1>, tensor<3x2xi32>
    %c_6 = stablehlo.constant dense<1> : tensor<i64>
    %24 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i64>) -> tensor<3x2xi64>
    %25 = stablehlo.convert %24 : (tensor<3x2xi64>) -> tensor<3x2xi32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<3x2xi32>) -> tensor<3x2x1xi32>
    %27 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<3x2xi32>) -> tensor<3x2x1xi32>
    %28 = stablehlo.concatenate %26, %27, dim = 2 : (tensor<3x2x1xi32>, tensor<3x2x1xi32>) -> tensor<3x2x2xi32>
    %29 = "stablehlo.gather"(%arg0, %28) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<3x4xf32>, tensor<3x2x2xi32>) -> tensor<3x2xf32>
    return %0, %1, %18, %29 : tensor<3x4xf32>, tensor<3x2xf32>, tensor<3x4xf32>, tensor<3x2xf32>
  }
  func.func private @_take(%arg0: tensor<3x4xf32>, %arg1: tensor<3xi32>) -> tensor<3x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
    return %1 : tensor<3x4xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<3x4xf32>, %arg1: tensor<3x2xi32>) -> tensor<3x2xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x2xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<3x2xi32>, tensor<3x2xi32>) -> tensor<3x2xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3x2xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<3x2xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<3x2xi1>, tensor<3x2xi32>
    %5 = stablehlo.reshape %4 : (tensor<3x2xi32>) -> tensor<3x2x1xi32>
    %c_1 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3x2x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x2x1xi32>, tensor<3x2x1xi32>) -> tensor<3x2x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<3x2x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<3x2x1xi32>, tensor<3x2x1xi32>) -> tensor<3x2x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<3x2x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<3x2x1xi1>, tensor<i1>) -> tensor<3x2xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<3x4xf32>, tensor<3x2x1xi32>) -> tensor<3x2xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<3x2xi1>, tensor<3x2xf32>
    return %15 : tensor<3x2xf32>
  }
}
