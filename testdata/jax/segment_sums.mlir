module @segment_sums attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[1.9525401e-01, 8.6075747e-01], [4.110535e-01, 1.7953274e-01], [-3.053808e-01, 5.8357644e-01], [-2.4965115e-01, 1.5670921e+00], [1.8546511e+00, -4.6623394e-01], [1.1669002e+00, 1.1557968e-01]]> : tensor<6x2xf32>
    %in1 = stablehlo.constant dense<[0, 2, 1, 0, 2, 2]> : tensor<6xi32>
    %out:3 = call @program(%in0, %in1) : (tensor<6x2xf32>, tensor<6xi32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<4xi64>)
    %want0 = stablehlo.constant dense<[[-5.4397136e-02, 2.4278495e+00], [-3.053808e-01, 5.8357644e-01], [3.4326048e+00, -1.7112152e-01]]> : tensor<3x2xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#0, %want0) {has_side_effect = true, tolerance = 1.0e-06 : f64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> ()
    %want1 = stablehlo.constant dense<[[1.9525401e-01, 1.5670921e+00], [-3.053808e-01, 5.8357644e-01], [1.8546511e+00, 1.7953274e-01]]> : tensor<3x2xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#1, %want1) {has_side_effect = true, tolerance = 1.0e-06 : f64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> ()
    %want2 = stablehlo.constant dense<[2, 1, 3, 0]> : tensor<4xi64>
    stablehlo.custom_call @check.expect_eq(%out#2, %want2) {has_side_effect = true} : (tensor<4xi64>, tensor<4xi64>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<6x2xf32>, %arg1: tensor<6xi32>) -> (tensor<3x2xf32> {jax.result_info = "result[0]"}, tensor<3x2xf32> {jax.result_info = "result[1]"}, tensor<4xi64> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %2 = "stablehlo.scatter"(%0, %1, %arg0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %16 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %16 : tensor<f32>
    }) : (tensor<3x2xf32>, tensor<6x1xi32>, tensor<6x2xf32>) -> tensor<3x2xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %5 = "stablehlo.scatter"(%3, %4, %arg0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %16 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %16 : tensor<f32>
    }) : (tensor<3x2xf32>, tensor<6x1xi32>, tensor<6x2xf32>) -> tensor<3x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %7 = call @clip(%arg1, %c_1) : (tensor<6xi32>, tensor<i64>) -> tensor<6xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %9 = stablehlo.compare LT, %7, %8, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_3 = stablehlo.constant dense<4> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %11 = stablehlo.add %7, %10 : tensor<6xi32>
    %12 = stablehlo.select %9, %11, %7 : tensor<6xi1>, tensor<6xi32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %c_4 = stablehlo.constant dense<1> : tensor<i64>
    %14 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %15 = "stablehlo.scatter"(%6, %13, %14) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<i64>, %arg3: tensor<i64>):
      %16 = stablehlo.add %arg2, %arg3 : tensor<i64>
      stablehlo.return %16 : tensor<i64>
    }) : (tensor<4xi64>, tensor<6x1xi32>, tensor<6xi64>) -> tensor<4xi64>
    return %2, %5, %15 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<4xi64>
  }
  func.func private @clip(%arg0: tensor<6xi32>, %arg1: tensor<i64>) -> tensor<6xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<6xi32>
    return %2 : tensor<6xi32>
  }
}
