module @scatters attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
    %in1 = stablehlo.constant dense<[[0], [2], [0], [7]]> : tensor<4x1xi32>
    %in2 = stablehlo.constant dense<[[2.0319161e-01, 8.325913e-01, -8.36381e-01, 4.3310422e-02], [1.5717878e+00, 1.5851724e+00, -1.4976587e+00, -1.1710285e+00], [-1.7941312e+00, -2.3676063e-01, -1.8804952e+00, -1.726671e-01], [5.965762e-01, -8.860509e-01, 7.050196e-01, 3.6345127e-01]]> : tensor<4x4xf32>
    %out:6 = call @program(%in0, %in1, %in2) : (tensor<3x4xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
    %want0 = stablehlo.constant dense<[[-1.5909395e+00, 1.5958307e+00, -7.1687615e-01, 2.8706434e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [9.571788e+00, 1.0585173e+01, 8.502341e+00, 9.828972e+00]]> : tensor<3x4xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#0, %want0) {has_side_effect = true, tolerance = 1.0e-06 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>) -> ()
    %want1 = stablehlo.constant dense<[[2.0319161e-01, 8.325913e-01, -8.36381e-01, 4.3310422e-02], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [1.5717878e+00, 1.5851724e+00, -1.4976587e+00, -1.1710285e+00]]> : tensor<3x4xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#1, %want1) {has_side_effect = true, tolerance = 1.0e-06 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>) -> ()
    %want2 = stablehlo.constant dense<[[2.0319161e-01, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#2, %want2) {has_side_effect = true, tolerance = 1.0e-06 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>) -> ()
    %want3 = stablehlo.constant dense<[[-1.7941312e+00, -2.3676063e-01, -1.8804952e+00, -1.726671e-01], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [1.5717878e+00, 1.5851724e+00, -1.4976587e+00, -1.1710285e+00]]> : tensor<3x4xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#3, %want3) {has_side_effect = true, tolerance = 1.0e-06 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>) -> ()
    %want4 = stablehlo.constant dense<[[0.0e+00, 8.325913e-01, -1.672762e+00, 1.2993127e-01], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [1.2574303e+01, 1.4266552e+01, -1.4976587e+01, -1.2881313e+01]]> : tensor<3x4xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#4, %want4) {has_side_effect = true, tolerance = 1.0e-06 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>) -> ()
    %want5 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 9.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#5, %want5) {has_side_effect = true, tolerance = 1.0e-06 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<3x4xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<4x4xf32>) -> (tensor<3x4xf32> {jax.result_info = "result[0]"}, tensor<3x4xf32> {jax.result_info = "result[1]"}, tensor<3x4xf32> {jax.result_info = "result[2]"}, tensor<3x4xf32> {jax.result_info = "result[3]"}, tensor<3x4xf32> {jax.result_info = "result[4]"}, tensor<3x4xf32> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.reshape %arg1 : (tensor<4x1xi32>) -> tensor<4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %4 = stablehlo.add %0, %3 : tensor<4xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<4xi1>, tensor<4xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %7 = "stablehlo.scatter"(%arg0, %6, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %44 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %44 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> tensor<3x4xf32>
    %8 = stablehlo.slice %0 [0:2] : (tensor<4xi32>) -> tensor<2xi32>
    %9 = stablehlo.slice %arg2 [0:2, 0:4] : (tensor<4x4xf32>) -> tensor<2x4xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %11 = stablehlo.compare LT, %8, %10, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %13 = stablehlo.add %8, %12 : tensor<2xi32>
    %14 = stablehlo.select %11, %13, %8 : tensor<2xi1>, tensor<2xi32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %16 = "stablehlo.scatter"(%arg0, %15, %9) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<3x4xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %18 = stablehlo.compare LT, %0, %17, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_4 = stablehlo.constant dense<3> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %20 = stablehlo.add %0, %19 : tensor<4xi32>
    %21 = stablehlo.select %18, %20, %0 : tensor<4xi1>, tensor<4xi32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %23 = "stablehlo.scatter"(%arg0, %22, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %44 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %44 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> tensor<3x4xf32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %25 = stablehlo.compare LT, %0, %24, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_6 = stablehlo.constant dense<3> : tensor<i32>
    %26 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %27 = stablehlo.add %0, %26 : tensor<4xi32>
    %28 = stablehlo.select %25, %27, %0 : tensor<4xi1>, tensor<4xi32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %30 = "stablehlo.scatter"(%arg0, %29, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %44 = stablehlo.minimum %arg3, %arg4 : tensor<f32>
      stablehlo.return %44 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> tensor<3x4xf32>
    %31 = stablehlo.slice %0 [0:2] : (tensor<4xi32>) -> tensor<2xi32>
    %32 = stablehlo.slice %arg2 [0:2, 0:4] : (tensor<4x4xf32>) -> tensor<2x4xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %33 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %34 = stablehlo.compare LT, %31, %33, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_8 = stablehlo.constant dense<3> : tensor<i32>
    %35 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %36 = stablehlo.add %31, %35 : tensor<2xi32>
    %37 = stablehlo.select %34, %36, %31 : tensor<2xi1>, tensor<2xi32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %39 = "stablehlo.scatter"(%arg0, %38, %32) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %44 = stablehlo.multiply %arg3, %arg4 : tensor<f32>
      stablehlo.return %44 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<3x4xf32>
    %c_9 = stablehlo.constant dense<1> : tensor<i32>
    %40 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_10 = stablehlo.constant dense<2> : tensor<i32>
    %41 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %42 = stablehlo.concatenate %40, %41, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %cst = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %43 = "stablehlo.scatter"(%arg0, %42, %cst) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<2xi32>, tensor<f32>) -> tensor<3x4xf32>
    return %7, %16, %23, %30, %39, %43 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
  }
}
