module @triangular_solves attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[4.9479923e+00, 0.0e+00, 0.0e+00], [1.2076826e-02, 4.466051e+00, 0.0e+00], [2.0625017e+00, 5.5895036e-01, 9.957834e+00]]> : tensor<3x3xf32>
    %in1 = stablehlo.constant dense<[[1.8681194e+00, 1.8892899e-01], [1.8907374e+00, 8.5926396e-01], [7.909153e-01, -1.135642e+00]]> : tensor<3x2xf32>
    %out:3 = call @program(%in0, %in1) : (tensor<3x3xf32>, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<2x3xf32>)
    %want0 = stablehlo.constant dense<[[3.77551e-01, 3.818296e-02], [4.223368e-01, 1.9229579e-01], [-2.2479735e-02, -1.3274756e-01]]> : tensor<3x2xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#0, %want0) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> ()
    %want1 = stablehlo.constant dense<[[3.4343413e-01, 8.5216634e-02], [4.134171e-01, 2.066724e-01], [7.942644e-02, -1.1404508e-01]]> : tensor<3x2xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#1, %want1) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> ()
    %want2 = stablehlo.constant dense<[[1.8681194e+00, 1.8681765e+00, -4.106302e+00], [1.8892899e-01, 8.569823e-01, -2.004319e+00]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#2, %want2) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<3x3xf32>, %arg1: tensor<3x2xf32>) -> (tensor<3x2xf32> {jax.result_info = "result[0]"}, tensor<3x2xf32> {jax.result_info = "result[1]"}, tensor<2x3xf32> {jax.result_info = "result[2]"}) {
    %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %1 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %2 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %3 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %4 = "stablehlo.triangular_solve"(%2, %3) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0, %1, %4 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<2x3xf32>
  }
}
