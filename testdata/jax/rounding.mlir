module @rounding attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[0.0e+00, 0x80000000, 1.5e+00, -1.5e+00, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0e-30, 2.5e+00, 3.5e+00]> : tensor<10xf32>
    %out:10 = call @program(%in0) : (tensor<10xf32>) -> (tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xi1>, tensor<10xi1>, tensor<10xf32>)
    %want0 = stablehlo.constant dense<[0.0e+00, 0x80000000, 1.0e+00, -2.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0e+00, 2.0e+00, 3.0e+00]> : tensor<10xf32>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<10xf32>, tensor<10xf32>) -> ()
    %want1 = stablehlo.constant dense<[0.0e+00, 0x80000000, 2.0e+00, -1.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0e+00, 3.0e+00, 4.0e+00]> : tensor<10xf32>
    stablehlo.custom_call @check.expect_eq(%out#1, %want1) {has_side_effect = true} : (tensor<10xf32>, tensor<10xf32>) -> ()
    %want2 = stablehlo.constant dense<[0.0e+00, 0x80000000, 2.0e+00, -2.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0e+00, 2.0e+00, 4.0e+00]> : tensor<10xf32>
    stablehlo.custom_call @check.expect_eq(%out#2, %want2) {has_side_effect = true} : (tensor<10xf32>, tensor<10xf32>) -> ()
    %want3 = stablehlo.constant dense<[0.0e+00, 0x80000000, 2.0e+00, -2.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0e+00, 3.0e+00, 4.0e+00]> : tensor<10xf32>
    stablehlo.custom_call @check.expect_eq(%out#3, %want3) {has_side_effect = true} : (tensor<10xf32>, tensor<10xf32>) -> ()
    %want4 = stablehlo.constant dense<[0.0e+00, 0x80000000, 1.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 0x7FC00000, 1.0e+00, 1.0e+00, 1.0e+00]> : tensor<10xf32>
    stablehlo.custom_call @check.expect_eq(%out#4, %want4) {has_side_effect = true} : (tensor<10xf32>, tensor<10xf32>) -> ()
    %want5 = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.5e+00, 1.5e+00, 0x7F800000, 0x7F800000, 0x7FC00000, 1.0e-30, 2.5e+00, 3.5e+00]> : tensor<10xf32>
    stablehlo.custom_call @check.expect_eq(%out#5, %want5) {has_side_effect = true} : (tensor<10xf32>, tensor<10xf32>) -> ()
    %want6 = stablehlo.constant dense<[0x80000000, 0.0e+00, -1.5e+00, 1.5e+00, 0xFF800000, 0x7F800000, 0xFFC00000, -1.0e-30, -2.5e+00, -3.5e+00]> : tensor<10xf32>
    stablehlo.custom_call @check.expect_eq(%out#6, %want6) {has_side_effect = true} : (tensor<10xf32>, tensor<10xf32>) -> ()
    %want7 = stablehlo.constant dense<[true, true, true, true, false, false, false, true, true, true]> : tensor<10xi1>
    stablehlo.custom_call @check.expect_eq(%out#7, %want7) {has_side_effect = true} : (tensor<10xi1>, tensor<10xi1>) -> ()
    %want8 = stablehlo.constant dense<[false, false, false, false, false, false, true, false, false, false]> : tensor<10xi1>
    stablehlo.custom_call @check.expect_eq(%out#8, %want8) {has_side_effect = true} : (tensor<10xi1>, tensor<10xi1>) -> ()
    %want9 = stablehlo.constant dense<[0.0e+00, 0x80000000, 1.5e+00, -1.5e+00, 3.4028235e+38, -3.4028235e+38, 7.0e+00, 1.0e-30, 2.5e+00, 3.5e+00]> : tensor<10xf32>
    stablehlo.custom_call @check.expect_eq(%out#9, %want9) {has_side_effect = true} : (tensor<10xf32>, tensor<10xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<10xf32>) -> (tensor<10xf32> {jax.result_info = "result[0]"}, tensor<10xf32> {jax.result_info = "result[1]"}, tensor<10xf32> {jax.result_info = "result[2]"}, tensor<10xf32> {jax.result_info = "result[3]"}, tensor<10xf32> {jax.result_info = "result[4]"}, tensor<10xf32> {jax.result_info = "result[5]"}, tensor<10xf32> {jax.result_info = "result[6]"}, tensor<10xi1> {jax.result_info = "result[7]"}, tensor<10xi1> {jax.result_info = "result[8]"}, tensor<10xf32> {jax.result_info = "result[9]"}) {
    %0 = stablehlo.floor %arg0 : tensor<10xf32>
    %1 = stablehlo.ceil %arg0 : tensor<10xf32>
    %2 = stablehlo.round_nearest_even %arg0 : tensor<10xf32>
    %3 = stablehlo.round_nearest_afz %arg0 : tensor<10xf32>
    %4 = stablehlo.sign %arg0 : tensor<10xf32>
    %5 = stablehlo.abs %arg0 : tensor<10xf32>
    %6 = stablehlo.negate %arg0 : tensor<10xf32>
    %7 = stablehlo.is_finite %arg0 : (tensor<10xf32>) -> tensor<10xi1>
    %8 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
    %cst = stablehlo.constant dense<7.000000e+00> : tensor<f64>
    %9 = call @nan_to_num(%arg0, %cst) : (tensor<10xf32>, tensor<f64>) -> tensor<10xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xi1>, tensor<10xi1>, tensor<10xf32>
  }
  func.func private @nan_to_num(%arg0: tensor<10xf32>, %arg1: tensor<f64>) -> tensor<10xf32> {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
    %1 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
    %2 = call @_where(%0, %1, %arg0) : (tensor<10xi1>, tensor<f32>, tensor<10xf32>) -> tensor<10xf32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %4 = stablehlo.compare EQ, %2, %3, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
    %cst_0 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %5 = call @_where(%4, %cst_0, %2) : (tensor<10xi1>, tensor<f32>, tensor<10xf32>) -> tensor<10xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %7 = stablehlo.compare EQ, %5, %6, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
    %cst_2 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %8 = call @_where(%7, %cst_2, %5) : (tensor<10xi1>, tensor<f32>, tensor<10xf32>) -> tensor<10xf32>
    return %8 : tensor<10xf32>
  }
  func.func private @_where(%arg0: tensor<10xi1>, %arg1: tensor<f32>, %arg2: tensor<10xf32>) -> tensor<10xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<10xi1>, tensor<10xf32>
    return %1 : tensor<10xf32>
  }
}
