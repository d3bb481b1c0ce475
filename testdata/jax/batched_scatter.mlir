module @batched_scatter attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]], [[1.2e+01, 1.3e+01, 1.4e+01, 1.5e+01], [1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01], [2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01]]]> : tensor<2x3x4xf32>
    %in1 = stablehlo.constant dense<[[0, 2], [1, 1]]> : tensor<2x2xi32>
    %out = call @program(%in0, %in1) : (tensor<2x3x4xf32>, tensor<2x2xi32>) -> tensor<2x3x4xf32>
    %want0 = stablehlo.constant dense<[[[-1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [-1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00]], [[1.2e+01, 1.3e+01, 1.4e+01, 1.5e+01], [-1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00], [2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01]]]> : tensor<2x3x4xf32>
    stablehlo.custom_call @check.expect_eq(%out, %want0) {has_side_effect = true} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x2xi32>) -> (tensor<2x3x4xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<2x2xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<2x2xi1>, tensor<2x2xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x2xi32>) -> tensor<2x2x1xi32>
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [1, 2] : (tensor<2x4xf32>) -> tensor<2x2x4xf32>
    %8 = "stablehlo.scatter"(%arg0, %5, %7) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) : (tensor<2x3x4xf32>, tensor<2x2x1xi32>, tensor<2x2x4xf32>) -> tensor<2x3x4xf32>
    return %8 : tensor<2x3x4xf32>
  }
}
