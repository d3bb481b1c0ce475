module @gamma_functions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[5.1649146e+00, 6.5791097e+00, 5.623489e+00, 5.131507e+00, 4.1010656e+00, 5.9901e+00]> : tensor<6xf32>
    %out:4 = call @program(%in0) : (tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>)
    %want0 = stablehlo.constant dense<[3.4294088e+00, 5.8049192e+00, 4.1582756e+00, 3.3780146e+00, 1.9201462e+00, 4.770611e+00]> : tensor<6xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#0, %want0) {has_side_effect = true, tolerance = 1.0e-04 : f64} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %want1 = stablehlo.constant dense<[1.5419693e+00, 1.8059807e+00, 1.635413e+00, 1.5348092e+00, 1.2844013e+00, 1.7043211e+00]> : tensor<6xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#1, %want1) {has_side_effect = true, tolerance = 1.0e-04 : f64} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %want2 = stablehlo.constant dense<[6.413383e-05, 1.0029471e-06, 1.7183109e-05, 7.050389e-05, 1.195601e-03, 5.864148e-06]> : tensor<6xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#2, %want2) {has_side_effect = true, tolerance = 1.0e-04 : f64} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %want3 = stablehlo.constant dense<[2.1355817e-01, 1.6413036e-01, 1.94568e-01, 2.1508698e-01, 2.759567e-01, 1.8164825e-01]> : tensor<6xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#3, %want3) {has_side_effect = true, tolerance = 1.0e-04 : f64} : (tensor<6xf32>, tensor<6xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<6xf32>) -> (tensor<6xf32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}, tensor<6xf32> {jax.result_info = "result[2]"}, tensor<6xf32> {jax.result_info = "result[3]"}) {
    %0 = chlo.lgamma %arg0 : tensor<6xf32> -> tensor<6xf32>
    %1 = chlo.digamma %arg0 : tensor<6xf32> -> tensor<6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.add %arg0, %2 : tensor<6xf32>
    %4 = chlo.zeta %3, %arg0 : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %6 = chlo.polygamma %5, %arg0 : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
    return %0, %1, %4, %6 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
  }
}
