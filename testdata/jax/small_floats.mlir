module @small_floats attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[1.9525402e+00, 8.607574e+00, 4.110535e+00, 1.7953273e+00, -3.053808e+00, 5.8357644e+00, -2.4965115e+00, 1.567092e+01, 1.854651e+01, -4.662339e+00, 1.1669002e+01, 1.1557968e+00]> : tensor<12xf32>
    %out:10 = call @program(%in0) : (tensor<12xf32>) -> (tensor<12xf8E4M3FN>, tensor<12xf8E5M2>, tensor<12xf8E4M3B11FNUZ>, tensor<12xf8E4M3FNUZ>, tensor<12xf8E5M2FNUZ>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>)
    %want0 = stablehlo.constant dense<[2.0e+00, 9.0e+00, 4.0e+00, 1.75e+00, -3.0e+00, 6.0e+00, -2.5e+00, 1.6e+01, 1.8e+01, -4.5e+00, 1.2e+01, 1.125e+00]> : tensor<12xf8E4M3FN>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<12xf8E4M3FN>, tensor<12xf8E4M3FN>) -> ()
    %want1 = stablehlo.constant dense<[2.0e+00, 8.0e+00, 4.0e+00, 1.75e+00, -3.0e+00, 6.0e+00, -2.5e+00, 1.6e+01, 2.0e+01, -5.0e+00, 1.2e+01, 1.25e+00]> : tensor<12xf8E5M2>
    stablehlo.custom_call @check.expect_eq(%out#1, %want1) {has_side_effect = true} : (tensor<12xf8E5M2>, tensor<12xf8E5M2>) -> ()
    %want2 = stablehlo.constant dense<[2.0e+00, 9.0e+00, 4.0e+00, 1.75e+00, -3.0e+00, 6.0e+00, -2.5e+00, 1.6e+01, 1.8e+01, -4.5e+00, 1.2e+01, 1.125e+00]> : tensor<12xf8E4M3B11FNUZ>
    stablehlo.custom_call @check.expect_eq(%out#2, %want2) {has_side_effect = true} : (tensor<12xf8E4M3B11FNUZ>, tensor<12xf8E4M3B11FNUZ>) -> ()
    %want3 = stablehlo.constant dense<[2.0e+00, 9.0e+00, 4.0e+00, 1.75e+00, -3.0e+00, 6.0e+00, -2.5e+00, 1.6e+01, 1.8e+01, -4.5e+00, 1.2e+01, 1.125e+00]> : tensor<12xf8E4M3FNUZ>
    stablehlo.custom_call @check.expect_eq(%out#3, %want3) {has_side_effect = true} : (tensor<12xf8E4M3FNUZ>, tensor<12xf8E4M3FNUZ>) -> ()
    %want4 = stablehlo.constant dense<[2.0e+00, 8.0e+00, 4.0e+00, 1.75e+00, -3.0e+00, 6.0e+00, -2.5e+00, 1.6e+01, 2.0e+01, -5.0e+00, 1.2e+01, 1.25e+00]> : tensor<12xf8E5M2FNUZ>
    stablehlo.custom_call @check.expect_eq(%out#4, %want4) {has_side_effect = true} : (tensor<12xf8E5M2FNUZ>, tensor<12xf8E5M2FNUZ>) -> ()
    %want5 = stablehlo.constant dense<[2.0e+00, 9.0e+00, 4.0e+00, 1.75e+00, -3.0e+00, 6.0e+00, -2.5e+00, 1.6e+01, 1.8e+01, -4.5e+00, 1.2e+01, 1.125e+00]> : tensor<12xf32>
    stablehlo.custom_call @check.expect_eq(%out#5, %want5) {has_side_effect = true} : (tensor<12xf32>, tensor<12xf32>) -> ()
    %want6 = stablehlo.constant dense<[2.0e+00, 8.0e+00, 4.0e+00, 1.75e+00, -3.0e+00, 6.0e+00, -2.5e+00, 1.6e+01, 2.0e+01, -5.0e+00, 1.2e+01, 1.25e+00]> : tensor<12xf32>
    stablehlo.custom_call @check.expect_eq(%out#6, %want6) {has_side_effect = true} : (tensor<12xf32>, tensor<12xf32>) -> ()
    %want7 = stablehlo.constant dense<[2.0e+00, 9.0e+00, 4.0e+00, 1.75e+00, -3.0e+00, 6.0e+00, -2.5e+00, 1.6e+01, 1.8e+01, -4.5e+00, 1.2e+01, 1.125e+00]> : tensor<12xf32>
    stablehlo.custom_call @check.expect_eq(%out#7, %want7) {has_side_effect = true} : (tensor<12xf32>, tensor<12xf32>) -> ()
    %want8 = stablehlo.constant dense<[2.0e+00, 9.0e+00, 4.0e+00, 1.75e+00, -3.0e+00, 6.0e+00, -2.5e+00, 1.6e+01, 1.8e+01, -4.5e+00, 1.2e+01, 1.125e+00]> : tensor<12xf32>
    stablehlo.custom_call @check.expect_eq(%out#8, %want8) {has_side_effect = true} : (tensor<12xf32>, tensor<12xf32>) -> ()
    %want9 = stablehlo.constant dense<[2.0e+00, 8.0e+00, 4.0e+00, 1.75e+00, -3.0e+00, 6.0e+00, -2.5e+00, 1.6e+01, 2.0e+01, -5.0e+00, 1.2e+01, 1.25e+00]> : tensor<12xf32>
    stablehlo.custom_call @check.expect_eq(%out#9, %want9) {has_side_effect = true} : (tensor<12xf32>, tensor<12xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<12xf32>) -> (tensor<12xf8E4M3FN> {jax.result_info = "result[0]"}, tensor<12xf8E5M2> {jax.result_info = "result[1]"}, tensor<12xf8E4M3B11FNUZ> {jax.result_info = "result[2]"}, tensor<12xf8E4M3FNUZ> {jax.result_info = "result[3]"}, tensor<12xf8E5M2FNUZ> {jax.result_info = "result[4]"}, tensor<12xf32> {jax.result_info = "result[5]"}, tensor<12xf32> {jax.result_info = "result[6]"}, tensor<12xf32> {jax.result_info = "result[7]"}, tensor<12xf32> {jax.result_info = "result[8]"}, tensor<12xf32> {jax.result_info = "result[9]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<12xf32>) -> tensor<12xf8E4M3FN>
    %1 = stablehlo.convert %arg0 : (tensor<12xf32>) -> tensor<12xf8E5M2>
    %2 = stablehlo.convert %arg0 : (tensor<12xf32>) -> tensor<12xf8E4M3B11FNUZ>
    %3 = stablehlo.convert %arg0 : (tensor<12xf32>) -> tensor<12xf8E4M3FNUZ>
    %4 = stablehlo.convert %arg0 : (tensor<12xf32>) -> tensor<12xf8E5M2FNUZ>
    %5 = stablehlo.convert %arg0 : (tensor<12xf32>) -> tensor<12xf8E4M3FN>
    %6 = stablehlo.convert %5 : (tensor<12xf8E4M3FN>) -> tensor<12xf32>
    %7 = stablehlo.convert %arg0 : (tensor<12xf32>) -> tensor<12xf8E5M2>
    %8 = stablehlo.convert %7 : (tensor<12xf8E5M2>) -> tensor<12xf32>
    %9 = stablehlo.convert %arg0 : (tensor<12xf32>) -> tensor<12xf8E4M3B11FNUZ>
    %10 = stablehlo.convert %9 : (tensor<12xf8E4M3B11FNUZ>) -> tensor<12xf32>
    %11 = stablehlo.convert %arg0 : (tensor<12xf32>) -> tensor<12xf8E4M3FNUZ>
    %12 = stablehlo.convert %11 : (tensor<12xf8E4M3FNUZ>) -> tensor<12xf32>
    %13 = stablehlo.convert %arg0 : (tensor<12xf32>) -> tensor<12xf8E5M2FNUZ>
    %14 = stablehlo.convert %13 : (tensor<12xf8E5M2FNUZ>) -> tensor<12xf32>
    return %0, %1, %2, %3, %4, %6, %8, %10, %12, %14 : tensor<12xf8E4M3FN>, tensor<12xf8E5M2>, tensor<12xf8E4M3B11FNUZ>, tensor<12xf8E4M3FNUZ>, tensor<12xf8E5M2FNUZ>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
  }
}
