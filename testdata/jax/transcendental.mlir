module @transcendental attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[1.9525401e-01, 8.6075747e-01, 4.110535e-01, 1.7953274e-01, -3.053808e-01, 5.8357644e-01, -2.4965115e-01, 1.5670921e+00, 1.8546511e+00]> : tensor<9xf32>
    %out:14 = call @program(%in0) : (tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>)
    %want0 = stablehlo.constant dense<[1.2156197e+00, 2.3649514e+00, 1.508406e+00, 1.1966581e+00, 7.3684275e-01, 1.7924376e+00, 7.790725e-01, 4.792691e+00, 6.389468e+00]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_close(%out#0, %want0) {has_side_effect = true, max_ulp_difference = 64 : i64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want1 = stablehlo.constant dense<[-3.63478e-01, 3.080415e-01, -9.315362e-02, -3.8634983e-01, -2.1644005e-01, 8.026709e-02, -2.8814733e-01, 7.2614276e-01, 8.563925e-01]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_close(%out#1, %want1) {has_side_effect = true, max_ulp_difference = 64 : i64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want2 = stablehlo.constant dense<[1.9401573e-01, 7.5833654e-01, 3.995753e-01, 1.7856984e-01, -3.0065638e-01, 5.51012e-01, -2.4706593e-01, 9.9999315e-01, 9.59983e-01]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_close(%out#2, %want2) {has_side_effect = true, max_ulp_difference = 64 : i64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want3 = stablehlo.constant dense<[9.809984e-01, 6.518632e-01, 9.1670036e-01, 9.8392725e-01, 9.5373255e-01, 8.3449733e-01, 9.689987e-01, 3.7042573e-03, -2.8005823e-01]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_close(%out#3, %want3) {has_side_effect = true, max_ulp_difference = 64 : i64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want4 = stablehlo.constant dense<[1.9777374e-01, 1.1633369e+00, 4.358843e-01, 1.8148683e-01, -3.152418e-01, 6.602921e-01, -2.5497037e-01, 2.699578e+02, -3.4277978e+00]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_close(%out#4, %want4) {has_side_effect = true, max_ulp_difference = 64 : i64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want5 = stablehlo.constant dense<[1.9280997e-01, 6.9664776e-01, 3.8936684e-01, 1.7762838e-01, -2.96229e-01, 5.2526e-01, -2.445907e-01, 9.1656196e-01, 9.5218205e-01]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_close(%out#5, %want5) {has_side_effect = true, max_ulp_difference = 64 : i64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want6 = stablehlo.constant dense<[5.8014065e-01, 9.5124763e-01, 7.4353164e-01, 5.6413263e-01, -6.7341155e-01, 8.356657e-01, -6.296674e-01, 1.1615329e+00, 1.228629e+00]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_close(%out#6, %want6) {has_side_effect = true, max_ulp_difference = 64 : i64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want7 = stablehlo.constant dense<[2.1561968e-01, 1.3649514e+00, 5.08406e-01, 1.9665807e-01, -2.6315722e-01, 7.9243755e-01, -2.2092745e-01, 3.7926912e+00, 5.389468e+00]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_close(%out#7, %want7) {has_side_effect = true, max_ulp_difference = 64 : i64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want8 = stablehlo.constant dense<[5.278326e-01, 8.5898244e-01, 6.4765465e-01, 5.1851565e-01, 5.9077156e-01, 7.3408586e-01, 5.594164e-01, 1.1207299e+00, 1.2103478e+00]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_close(%out#8, %want8) {has_side_effect = true, max_ulp_difference = 64 : i64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want9 = stablehlo.constant dense<[5.48659e-01, 7.028189e-01, 6.013405e-01, 5.44763e-01, 4.2424262e-01, 6.418899e-01, 4.379094e-01, 8.273687e-01, 8.646723e-01]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_close(%out#9, %want9) {has_side_effect = true, max_ulp_difference = 64 : i64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want10 = stablehlo.constant dense<[1.1993011e+00, 8.572542e-01, 1.0476785e+00, 1.213095e+00, 1.1142929e+00, 9.606611e-01, 1.1549692e+00, 6.955368e-01, 6.516835e-01]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_close(%out#10, %want10) {has_side_effect = true, max_ulp_difference = 64 : i64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want11 = stablehlo.constant dense<[8.338189e-01, 1.1665151e+00, 9.5449126e-01, 8.243378e-01, 8.974301e-01, 1.0409498e+00, 8.65824e-01, 1.4377385e+00, 1.5344872e+00]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_close(%out#11, %want11) {has_side_effect = true, max_ulp_difference = 64 : i64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want12 = stablehlo.constant dense<[9.3148935e-01, 1.3036252e+00, 9.6243274e-01, 9.3298846e-01, 1.0683299e+00, 1.0479563e+00, 1.0745869e+00, 3.1203105e+00, 4.8954654e+00]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_close(%out#12, %want12) {has_side_effect = true, max_ulp_difference = 64 : i64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    %want13 = stablehlo.constant dense<[2.7378595e-01, 5.640155e-01, 4.2383876e-01, 2.5829834e-01, -3.6242646e-01, 4.9402165e-01, -3.2147133e-01, 6.4867413e-01, 6.6716766e-01]> : tensor<9xf32>
    stablehlo.custom_call @check.expect_close(%out#13, %want13) {has_side_effect = true, max_ulp_difference = 64 : i64} : (tensor<9xf32>, tensor<9xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<9xf32>) -> (tensor<9xf32> {jax.result_info = "result[0]"}, tensor<9xf32> {jax.result_info = "result[1]"}, tensor<9xf32> {jax.result_info = "result[2]"}, tensor<9xf32> {jax.result_info = "result[3]"}, tensor<9xf32> {jax.result_info = "result[4]"}, tensor<9xf32> {jax.result_info = "result[5]"}, tensor<9xf32> {jax.result_info = "result[6]"}, tensor<9xf32> {jax.result_info = "result[7]"}, tensor<9xf32> {jax.result_info = "result[8]"}, tensor<9xf32> {jax.result_info = "result[9]"}, tensor<9xf32> {jax.result_info = "result[10]"}, tensor<9xf32> {jax.result_info = "result[11]"}, tensor<9xf32> {jax.result_info = "result[12]"}, tensor<9xf32> {jax.result_info = "result[13]"}) {
    %0 = stablehlo.abs %arg0 : tensor<9xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %2 = stablehlo.add %0, %1 : tensor<9xf32>
    %3 = stablehlo.exponential %arg0 : tensor<9xf32>
    %4 = stablehlo.log %2 : tensor<9xf32>
    %5 = stablehlo.sine %arg0 : tensor<9xf32>
    %6 = stablehlo.cosine %arg0 : tensor<9xf32>
    %7 = stablehlo.tan %arg0 : tensor<9xf32>
    %8 = stablehlo.tanh %arg0 : tensor<9xf32>
    %9 = stablehlo.cbrt %arg0 : tensor<9xf32>
    %10 = stablehlo.exponential_minus_one %arg0 : tensor<9xf32>
    %11 = stablehlo.log_plus_one %2 : tensor<9xf32>
    %12 = stablehlo.negate %arg0 : tensor<9xf32>
    %13 = stablehlo.exponential %12 : tensor<9xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %15 = stablehlo.add %14, %13 : tensor<9xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %17 = stablehlo.divide %16, %15 : tensor<9xf32>
    %18 = stablehlo.rsqrt %2 : tensor<9xf32>
    %19 = stablehlo.sqrt %2 : tensor<9xf32>
    %20 = stablehlo.power %2, %arg0 : tensor<9xf32>
    %21 = stablehlo.atan2 %arg0, %2 : tensor<9xf32>
    return %3, %4, %5, %6, %7, %8, %9, %10, %11, %17, %18, %19, %20, %21 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
  }
}
