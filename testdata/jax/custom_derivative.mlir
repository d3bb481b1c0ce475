module @custom_derivative attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[1.9525401e-01, 8.6075747e-01, 4.110535e-01, 1.7953274e-01, -3.053808e-01, 5.8357644e-01, -2.4965115e-01, 1.5670921e+00, 1.8546511e+00]> : tensor<9xf32>
    %out:3 = call @program(%in0) : (tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>)
    %want0 = stablehlo.constant dense<[7.9553217e-01, 1.2134135e+00, 9.196476e-01, 7.869371e-01, 5.5206895e-01, 1.0269148e+00, 5.760922e-01, 1.7565969e+00, 2.0000558e+00]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#0, %want0) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want1 = stablehlo.constant dense<[5.48659e-01, 7.028189e-01, 6.013405e-01, 5.44763e-01, 4.2424262e-01, 6.418899e-01, 4.379094e-01, 8.273687e-01, 8.646723e-01]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#1, %want1) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want2 = stablehlo.constant dense<[5.48659e-01, 7.028189e-01, 6.013405e-01, 5.44763e-01, 4.2424262e-01, 6.418899e-01, 4.379094e-01, 8.273687e-01, 8.646723e-01]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#2, %want2) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<9xf32>) -> (tensor<9xf32> {jax.result_info = "result[0][0]"}, tensor<9xf32> {jax.result_info = "result[0][1]"}, tensor<9xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %1 = stablehlo.abs %arg0 : tensor<9xf32>
    %2 = stablehlo.negate %1 : tensor<9xf32>
    %3 = stablehlo.exponential %2 : tensor<9xf32>
    %4 = stablehlo.log_plus_one %3 : tensor<9xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %6 = stablehlo.maximum %arg0, %5 : tensor<9xf32>
    %7 = stablehlo.add %4, %6 : tensor<9xf32>
    %8 = stablehlo.negate %arg0 : tensor<9xf32>
    %9 = stablehlo.exponential %8 : tensor<9xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %11 = stablehlo.add %10, %9 : tensor<9xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %13 = stablehlo.divide %12, %11 : tensor<9xf32>
    %14 = stablehlo.multiply %13, %0 : tensor<9xf32>
    %15 = stablehlo.abs %arg0 : tensor<9xf32>
    %16 = stablehlo.negate %15 : tensor<9xf32>
    %17 = stablehlo.exponential %16 : tensor<9xf32>
    %18 = stablehlo.log_plus_one %17 : tensor<9xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %20 = stablehlo.maximum %arg0, %19 : tensor<9xf32>
    %21 = stablehlo.add %18, %20 : tensor<9xf32>
    %22 = stablehlo.negate %arg0 : tensor<9xf32>
    %23 = stablehlo.exponential %22 : tensor<9xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %25 = stablehlo.add %24, %23 : tensor<9xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %27 = stablehlo.divide %26, %25 : tensor<9xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%21 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<9xf32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %30 = stablehlo.multiply %27, %29 : tensor<9xf32>
    return %7, %14, %30 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
  }
}
