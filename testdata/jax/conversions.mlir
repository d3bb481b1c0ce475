module @conversions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[2.9288103e+01, 1.2911362e+02, 6.1658024e+01, 2.692991e+01, -4.580712e+01, 8.753647e+01, -3.7447674e+01]> : tensor<7xf32>
    %out:10 = call @program(%in0) : (tensor<7xf32>) -> (tensor<7xi32>, tensor<7xi8>, tensor<7xbf16>, tensor<7xf16>, tensor<7xf64>, tensor<7xcomplex<f32>>, tensor<7xi1>, tensor<7xui32>, tensor<7x2xi16>, tensor<7xf32>)
    %want0 = stablehlo.constant dense<[29, 129, 61, 26, -45, 87, -37]> : tensor<7xi32>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<7xi32>, tensor<7xi32>) -> ()
    %want1 = stablehlo.constant dense<[29, 127, 61, 26, -45, 87, -37]> : tensor<7xi8>
    stablehlo.custom_call @check.expect_eq(%out#1, %want1) {has_side_effect = true} : (tensor<7xi8>, tensor<7xi8>) -> ()
    %want2 = stablehlo.constant dense<[2.925e+01, 1.29e+02, 6.175e+01, 2.6875e+01, -4.575e+01, 8.75e+01, -3.75e+01]> : tensor<7xbf16>
    stablehlo.custom_call @check.expect_eq(%out#2, %want2) {has_side_effect = true} : (tensor<7xbf16>, tensor<7xbf16>) -> ()
    %want3 = stablehlo.constant dense<[2.928125e+01, 1.29125e+02, 6.165625e+01, 2.69375e+01, -4.58125e+01, 8.75625e+01, -3.74375e+01]> : tensor<7xf16>
    stablehlo.custom_call @check.expect_eq(%out#3, %want3) {has_side_effect = true} : (tensor<7xf16>, tensor<7xf16>) -> ()
    %want4 = stablehlo.constant dense<[2.9288103103637695e+01, 1.2911361694335938e+02, 6.1658023834228516e+01, 2.692991065979004e+01, -4.580712127685547e+01, 8.753646850585938e+01, -3.744767379760742e+01]> : tensor<7xf64>
    stablehlo.custom_call @check.expect_eq(%out#4, %want4) {has_side_effect = true} : (tensor<7xf64>, tensor<7xf64>) -> ()
    %want5 = stablehlo.constant dense<[(2.9288103e+01, 0.0e+00), (1.2911362e+02, 0.0e+00), (6.1658024e+01, 0.0e+00), (2.692991e+01, 0.0e+00), (-4.580712e+01, 0.0e+00), (8.753647e+01, 0.0e+00), (-3.7447674e+01, 0.0e+00)]> : tensor<7xcomplex<f32>>
    stablehlo.custom_call @check.expect_eq(%out#5, %want5) {has_side_effect = true} : (tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>) -> ()
    %want6 = stablehlo.constant dense<[true, true, true, true, true, true, true]> : tensor<7xi1>
    stablehlo.custom_call @check.expect_eq(%out#6, %want6) {has_side_effect = true} : (tensor<7xi1>, tensor<7xi1>) -> ()
    %want7 = stablehlo.constant dense<[1105874441, 1124146454, 1115070929, 1104638069, 3258399358, 1118769836, 3256207979]> : tensor<7xui32>
    stablehlo.custom_call @check.expect_eq(%out#7, %want7) {has_side_effect = true} : (tensor<7xui32>, tensor<7xui32>) -> ()
    %want8 = stablehlo.constant dense<[[19977, 16874], [7446, 17153], [-24111, 17014], [28789, 16855], [14974, -15817], [4780, 17071], [-13717, -15851]]> : tensor<7x2xi16>
    stablehlo.custom_call @check.expect_eq(%out#8, %want8) {has_side_effect = true} : (tensor<7x2xi16>, tensor<7x2xi16>) -> ()
    %want9 = stablehlo.constant dense<[2.925e+01, 1.29e+02, 6.175e+01, 2.6875e+01, -4.575e+01, 8.75e+01, -3.75e+01]> : tensor<7xf32>
    stablehlo.custom_call @check.expect_eq(%out#9, %want9) {has_side_effect = true} : (tensor<7xf32>, tensor<7xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<7xf32>) -> (tensor<7xi32> {jax.result_info = "result[0]"}, tensor<7xi8> {jax.result_info = "result[1]"}, tensor<7xbf16> {jax.result_info = "result[2]"}, tensor<7xf16> {jax.result_info = "result[3]"}, tensor<7xf64> {jax.result_info = "result[4]"}, tensor<7xcomplex<f32>> {jax.result_info = "result[5]"}, tensor<7xi1> {jax.result_info = "result[6]"}, tensor<7xui32> {jax.result_info = "result[7]"}, tensor<7x2xi16> {jax.result_info = "result[8]"}, tensor<7xf32> {jax.result_info = "result[9]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<7xf32>) -> tensor<7xi32>
    %1 = stablehlo.convert %arg0 : (tensor<7xf32>) -> tensor<7xi8>
    %2 = stablehlo.convert %arg0 : (tensor<7xf32>) -> tensor<7xbf16>
    %3 = stablehlo.convert %arg0 : (tensor<7xf32>) -> tensor<7xf16>
    %4 = stablehlo.convert %arg0 : (tensor<7xf32>) -> tensor<7xf64>
    %5 = stablehlo.convert %arg0 : (tensor<7xf32>) -> tensor<7xcomplex<f32>>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %7 = stablehlo.compare NE, %arg0, %6, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %8 = stablehlo.convert %7 : tensor<7xi1>
    %9 = stablehlo.bitcast_convert %arg0 : (tensor<7xf32>) -> tensor<7xui32>
    %10 = stablehlo.bitcast_convert %arg0 : (tensor<7xf32>) -> tensor<7x2xi16>
    %11 = stablehlo.reduce_precision %arg0, format = e5m7 : tensor<7xf32>
    return %0, %1, %2, %3, %4, %5, %8, %9, %10, %11 : tensor<7xi32>, tensor<7xi8>, tensor<7xbf16>, tensor<7xf16>, tensor<7xf64>, tensor<7xcomplex<f32>>, tensor<7xi1>, tensor<7xui32>, tensor<7x2xi16>, tensor<7xf32>
  }
}
