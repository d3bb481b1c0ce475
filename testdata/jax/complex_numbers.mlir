module @complex_numbers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[(1.9525401e-01, -3.3191198e-01), (8.6075747e-01, 8.8129795e-01), (4.110535e-01, -1.9995425e+00), (1.7953274e-01, -7.9066974e-01), (-3.053808e-01, -1.4129764e+00), (5.8357644e-01, -1.6306456e+00)]> : tensor<6xcomplex<f32>>
    %in1 = stablehlo.constant dense<[(-1.1120273e+00, 1.5714406e+00), (1.4829292e+00, -6.7208076e-01), (-1.1731234e+00, 1.2849165e+00), (1.6744436e+00, -1.8332134e+00), (-4.6355244e-02, -1.5693733e+00), (4.4697544e-01, 3.8020825e-01)]> : tensor<6xcomplex<f32>>
    %out:12 = call @program(%in0, %in1) : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xf32>, tensor<6xcomplex<f32>>, tensor<6xf32>, tensor<6xf32>, tensor<6xcomplex<f32>>, tensor<6xi1>)
    %want0 = stablehlo.constant dense<[(3.0445218e-01, 6.7592525e-01), (1.8687458e+00, 7.284039e-01), (2.0870287e+00, 2.8738794e+00), (-1.1488489e+00, -1.6530538e+00), (-2.2033312e+00, 5.4475534e-01), (8.808293e-01, -5.06978e-01)]> : tensor<6xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%out#0, %want0) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> ()
    %want1 = stablehlo.constant dense<[(-1.9932587e-01, 1.6801026e-02), (2.5809053e-01, 7.1126497e-01), (-1.0080049e+00, 6.003974e-01), (2.8390023e-01, -1.6137901e-01), (9.0530217e-01, -1.6784744e-01), (-1.0429662e+00, -2.7610047e+00)]> : tensor<6xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%out#1, %want1) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> ()
    %want2 = stablehlo.constant dense<[(1.1492724e+00, -3.9611122e-01), (1.5044644e+00, 1.8247142e+00), (-6.270908e-01, -1.3718768e+00), (8.416927e-01, -8.506139e-01), (1.1580635e-01, -7.2768545e-01), (-1.0721211e-01, -1.7892282e+00)]> : tensor<6xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%out#2, %want2) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> ()
    %want3 = stablehlo.constant dense<[(-9.542938e-01, -1.0390462e+00), (2.085616e-01, 7.971886e-01), (7.136144e-01, -1.3680471e+00), (-2.0973842e-01, -1.3475181e+00), (3.6852455e-01, -1.7836484e+00), (5.492339e-01, -1.2271183e+00)]> : tensor<6xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%out#3, %want3) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> ()
    %want4 = stablehlo.constant dense<[(5.3867334e-01, -3.080828e-01), (1.0229033e+00, 4.3078262e-01), (1.1073413e+00, -9.0285736e-01), (7.0367926e-01, -5.6181115e-01), (7.55056e-01, -9.356765e-01), (1.0759884e+00, -7.577431e-01)]> : tensor<6xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%out#4, %want4) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> ()
    %want5 = stablehlo.constant dense<[(2.1476586e-01, -3.3039045e-01), (1.0043894e+00, 3.6421695e-01), (1.3055656e+00, 1.0755883e+00), (3.4783348e-01, -9.4815916e-01), (-2.686029e+00, -1.2838746e+00), (1.8861091e+00, 1.552436e-01)]> : tensor<6xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%out#5, %want5) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> ()
    %want6 = stablehlo.constant dense<[3.85084e-01, 1.2319049e+00, 2.041356e+00, 8.107963e-01, 1.4456002e+00, 1.7319257e+00]> : tensor<6xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#6, %want6) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %want7 = stablehlo.constant dense<[(1.9525401e-01, 3.3191198e-01), (8.6075747e-01, -8.8129795e-01), (4.110535e-01, 1.9995425e+00), (1.7953274e-01, 7.9066974e-01), (-3.053808e-01, 1.4129764e+00), (5.8357644e-01, 1.6306456e+00)]> : tensor<6xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%out#7, %want7) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> ()
    %want8 = stablehlo.constant dense<[1.9525401e-01, 8.6075747e-01, 4.110535e-01, 1.7953274e-01, -3.053808e-01, 5.8357644e-01]> : tensor<6xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#8, %want8) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %want9 = stablehlo.constant dense<[1.5714406e+00, -6.7208076e-01, 1.2849165e+00, -1.8332134e+00, -1.5693733e+00, 3.8020825e-01]> : tensor<6xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#9, %want9) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %want10 = stablehlo.constant dense<[(1.9525401e-01, 1.5714406e+00), (8.6075747e-01, -6.7208076e-01), (4.110535e-01, 1.2849165e+00), (1.7953274e-01, -1.8332134e+00), (-3.053808e-01, -1.5693733e+00), (5.8357644e-01, 3.8020825e-01)]> : tensor<6xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%out#10, %want10) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> ()
    %want11 = stablehlo.constant dense<[false, false, false, false, false, false]> : tensor<6xi1>
    stablehlo.custom_call @check.expect_eq(%out#11, %want11) {has_side_effect = true} : (tensor<6xi1>, tensor<6xi1>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<6xcomplex<f32>>, %arg1: tensor<6xcomplex<f32>>) -> (tensor<6xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<6xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<6xcomplex<f32>> {jax.result_info = "result[2]"}, tensor<6xcomplex<f32>> {jax.result_info = "result[3]"}, tensor<6xcomplex<f32>> {jax.result_info = "result[4]"}, tensor<6xcomplex<f32>> {jax.result_info = "result[5]"}, tensor<6xf32> {jax.result_info = "result[6]"}, tensor<6xcomplex<f32>> {jax.result_info = "result[7]"}, tensor<6xf32> {jax.result_info = "result[8]"}, tensor<6xf32> {jax.result_info = "result[9]"}, tensor<6xcomplex<f32>> {jax.result_info = "result[10]"}, tensor<6xi1> {jax.result_info = "result[11]"}) {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<6xcomplex<f32>>
    %1 = stablehlo.divide %arg0, %arg1 : tensor<6xcomplex<f32>>
    %2 = stablehlo.exponential %arg0 : tensor<6xcomplex<f32>>
    %3 = stablehlo.log %arg0 : tensor<6xcomplex<f32>>
    %4 = stablehlo.sqrt %arg0 : tensor<6xcomplex<f32>>
    %5 = stablehlo.tanh %arg0 : tensor<6xcomplex<f32>>
    %6 = stablehlo.abs %arg0 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %7 = stablehlo.real %arg0 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %8 = stablehlo.imag %arg0 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %9 = stablehlo.negate %8 : tensor<6xf32>
    %10 = stablehlo.complex %7, %9 : tensor<6xcomplex<f32>>
    %11 = stablehlo.real %arg0 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %12 = stablehlo.imag %arg1 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %13 = stablehlo.real %arg0 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %14 = stablehlo.imag %arg1 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %15 = stablehlo.complex %13, %14 : tensor<6xcomplex<f32>>
    %16 = stablehlo.compare EQ, %arg0, %arg1, FLOAT : (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) -> tensor<6xi1>
    return %0, %1, %2, %3, %4, %5, %6, %10, %11, %12, %15, %16 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xf32>, tensor<6xcomplex<f32>>, tensor<6xf32>, tensor<6xf32>, tensor<6xcomplex<f32>>, tensor<6xi1>
  }
}
