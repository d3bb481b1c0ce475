module @cholesky attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[3.9479926e+00, 1.2076826e-02, 2.0625017e+00], [1.2076826e-02, 3.4660509e+00, 5.5895036e-01], [2.0625017e+00, 5.5895036e-01, 8.957834e+00]]> : tensor<3x3xf32>
    %out = call @program(%in0) : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %want0 = stablehlo.constant dense<[[1.9869556e+00, 0.0e+00, 0.0e+00], [6.078055e-03, 1.8617234e+00, 0.0e+00], [1.038021e+00, 2.968439e-01, 2.7914567e+00]]> : tensor<3x3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out, %want0) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<3x3xf32>, tensor<3x3xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<3x3xf32>) -> (tensor<3x3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<3x3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %3 = stablehlo.divide %1, %2 : tensor<3x3xf32>
    %4 = stablehlo.cholesky %3, lower = true : tensor<3x3xf32>
    %5 = stablehlo.iota dim = 0 : tensor<3x3xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
    %7 = stablehlo.add %5, %6 : tensor<3x3xi64>
    %8 = stablehlo.iota dim = 1 : tensor<3x3xi64>
    %9 = stablehlo.compare GE, %7, %8, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %11 = stablehlo.select %9, %4, %10 : tensor<3x3xi1>, tensor<3x3xf32>
    return %11 : tensor<3x3xf32>
  }
}
