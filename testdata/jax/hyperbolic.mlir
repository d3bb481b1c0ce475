module @hyperbolic attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[1.9525401e-01, 8.6075747e-01, 4.110535e-01, 1.7953274e-01, -3.053808e-01, 5.8357644e-01, -2.4965115e-01, 1.5670921e+00, 1.8546511e+00]> : tensor<9xf32>
    %out:8 = call @program(%in0) : (tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>)
    %want0 = stablehlo.constant dense<[1.96497e-01, 9.7105485e-01, 4.2272726e-01, 1.8049873e-01, -3.1014943e-01, 6.1726904e-01, -2.5225246e-01, 2.29202e+00, 3.1164804e+00]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#0, %want0) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want1 = stablehlo.constant dense<[1.0191227e+00, 1.3938966e+00, 1.0856788e+00, 1.0161593e+00, 1.0469923e+00, 1.1751685e+00, 1.0313251e+00, 2.5006711e+00, 3.2729878e+00]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#1, %want1) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want2 = stablehlo.constant dense<[1.9403417e-01, 7.7941227e-01, 4.0027866e-01, 1.7858201e-01, -3.0082306e-01, 5.546909e-01, -2.4712801e-01, 1.2314122e+00, 1.3766778e+00]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#2, %want2) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want3 = stablehlo.constant dense<[6.151608e-01, 1.2325506e+00, 8.7820643e-01, 5.905996e-01, 7.6287806e-01, 1.0337063e+00, 6.926819e-01, 1.5956234e+00, 1.7099018e+00]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#3, %want3) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want4 = stablehlo.constant dense<[6.517681e-02, 2.9520583e-01, 1.378851e-01, 5.991584e-02, -1.021474e-01, 1.9703636e-01, -8.340995e-02, 5.7958543e-01, 7.2211397e-01]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#4, %want4) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want5 = stablehlo.constant dense<[6.513071e-02, 2.9100925e-01, 1.3745023e-01, 5.9880022e-02, -1.01970226e-01, 1.9577368e-01, -8.33134e-02, 5.496209e-01, 6.664723e-01]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#5, %want5) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want6 = stablehlo.constant dense<[1.5056657e+00, 1.2797871e+00, 1.4333462e+00, 1.5109164e+00, 1.6727666e+00, 1.3750226e+00, 1.6541097e+00, 1.0211754e+00, 9.04324e-01]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#6, %want6) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want7 = stablehlo.constant dense<[1.9282798e-01, 7.107063e-01, 3.899988e-01, 1.776403e-01, -2.9638597e-01, 5.282559e-01, -2.446503e-01, 1.0028148e+00, 1.0762943e+00]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#7, %want7) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<9xf32>) -> (tensor<9xf32> {jax.result_info = "result[0]"}, tensor<9xf32> {jax.result_info = "result[1]"}, tensor<9xf32> {jax.result_info = "result[2]"}, tensor<9xf32> {jax.result_info = "result[3]"}, tensor<9xf32> {jax.result_info = "result[4]"}, tensor<9xf32> {jax.result_info = "result[5]"}, tensor<9xf32> {jax.result_info = "result[6]"}, tensor<9xf32> {jax.result_info = "result[7]"}) {
    %0 = chlo.sinh %arg0 : tensor<9xf32> -> tensor<9xf32>
    %1 = chlo.cosh %arg0 : tensor<9xf32> -> tensor<9xf32>
    %2 = chlo.asinh %arg0 : tensor<9xf32> -> tensor<9xf32>
    %3 = stablehlo.abs %arg0 : tensor<9xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %5 = stablehlo.add %3, %4 : tensor<9xf32>
    %6 = call @arccosh(%5) : (tensor<9xf32>) -> tensor<9xf32>
    %cst_0 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %8 = stablehlo.divide %arg0, %7 : tensor<9xf32>
    %9 = chlo.atanh %8 : tensor<9xf32> -> tensor<9xf32>
    %cst_1 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %11 = stablehlo.divide %arg0, %10 : tensor<9xf32>
    %12 = chlo.asin %11 : tensor<9xf32> -> tensor<9xf32>
    %cst_2 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %14 = stablehlo.divide %arg0, %13 : tensor<9xf32>
    %15 = chlo.acos %14 : tensor<9xf32> -> tensor<9xf32>
    %16 = chlo.atan %arg0 : tensor<9xf32> -> tensor<9xf32>
    return %0, %1, %2, %6, %9, %12, %15, %16 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
  }
  func.func private @arccosh(%arg0: tensor<9xf32>) -> tensor<9xf32> {
    %0 = chlo.acosh %arg0 : tensor<9xf32> -> tensor<9xf32>
    return %0 : tensor<9xf32>
  }
}
