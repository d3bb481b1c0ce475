module @batched_gather attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]], [[1.2e+01, 1.3e+01, 1.4e+01, 1.5e+01], [1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01], [2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01]]]> : tensor<2x3x4xf32>
    %in1 = stablehlo.constant dense<[[0, 2], [1, 1]]> : tensor<2x2xi32>
    %out:2 = call @program(%in0, %in1) : (tensor<2x3x4xf32>, tensor<2x2xi32>) -> (tensor<2x2x4xf32>, tensor<2x3x2xf32>)
    %want0 = stablehlo.constant dense<[[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]], [[1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01], [1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]]> : tensor<2x2x4xf32>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> ()
    %want1 = stablehlo.constant dense<[[[0.0e+00, 2.0e+00], [4.0e+00, 6.0e+00], [8.0e+00, 1.0e+01]], [[1.3e+01, 1.3e+01], [1.7e+01, 1.7e+01], [2.1e+01, 2.1e+01]]]> : tensor<2x3x2xf32>
    stablehlo.custom_call @check.expect_eq(%out#1, %want1) {has_side_effect = true} : (tensor<2x3x2xf32>, tensor<2x3x2xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x2xi32>) -> (tensor<2x2x4xf32> {jax.result_info = "result[0]"}, tensor<2x3x2xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<2x2xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<2x2xi1>, tensor<2x2xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x2xi32>) -> tensor<2x2x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<2x3x4xf32>, tensor<2x2x1xi32>) -> tensor<2x2x4xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %8 = stablehlo.compare LT, %arg1, %7, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
    %c_2 = stablehlo.constant dense<4> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %10 = stablehlo.add %arg1, %9 : tensor<2x2xi32>
    %11 = stablehlo.select %8, %10, %arg1 : tensor<2x2xi1>, tensor<2x2xi32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<2x2xi32>) -> tensor<2x2x1xi32>
    %13 = "stablehlo.gather"(%arg0, %12) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3, 1>}> : (tensor<2x3x4xf32>, tensor<2x2x1xi32>) -> tensor<2x3x2xf32>
    return %6, %13 : tensor<2x2x4xf32>, tensor<2x3x2xf32>
  }
}
