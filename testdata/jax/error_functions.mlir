module @error_functions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[1.9525401e-01, 8.6075747e-01, 4.110535e-01, 1.7953274e-01, -3.053808e-01, 5.8357644e-01, -2.4965115e-01, 1.5670921e+00, 1.8546511e+00]> : tensor<9xf32>
    %out:4 = call @program(%in0) : (tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>)
    %want0 = stablehlo.constant dense<[2.1755244e-01, 7.7650785e-01, 4.3897346e-01, 2.0042534e-01, -3.3416674e-01, 5.907996e-01, -2.7595654e-01, 9.7332233e-01, 9.912808e-01]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#0, %want0) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want1 = stablehlo.constant dense<[7.824476e-01, 2.2349209e-01, 5.610265e-01, 7.995747e-01, 1.3341668e+00, 4.0920034e-01, 1.2759565e+00, 2.6677612e-02, 8.7191835e-03]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#1, %want1) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want2 = stablehlo.constant dense<[5.7743907e-02, 2.6001847e-01, 1.2203197e-01, 5.3085405e-02, -9.0458356e-02, 1.7413802e-01, -7.388341e-02, 5.0212353e-01, 6.1844677e-01]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#2, %want2) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want3 = stablehlo.constant dense<[8.069381e-02, 1.9936438e-01, 1.3915238e-01, 7.531686e-02, -1.1382544e-01, 1.6981748e-01, -9.8007776e-02, 2.1908012e-01, 2.1714891e-01]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#3, %want3) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<9xf32>) -> (tensor<9xf32> {jax.result_info = "result[0]"}, tensor<9xf32> {jax.result_info = "result[1]"}, tensor<9xf32> {jax.result_info = "result[2]"}, tensor<9xf32> {jax.result_info = "result[3]"}) {
    %0 = chlo.erf %arg0 : tensor<9xf32> -> tensor<9xf32>
    %1 = chlo.erfc %arg0 : tensor<9xf32> -> tensor<9xf32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %3 = stablehlo.divide %arg0, %2 : tensor<9xf32>
    %4 = chlo.erf_inv %3 : tensor<9xf32> -> tensor<9xf32>
    %5 = chlo.bessel_i1e %arg0 : tensor<9xf32> -> tensor<9xf32>
    return %0, %1, %4, %5 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
  }
}
