module @extremes attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[0.0e+00, 0x80000000, 1.5e+00, -1.5e+00, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0e-30, 2.5e+00, 3.5e+00]> : tensor<10xf32>
    %in1 = stablehlo.constant dense<[3.5e+00, 2.5e+00, 1.0e-30, 0x7FC00000, 0xFF800000, 0x7F800000, -1.5e+00, 1.5e+00, 0x80000000, 0.0e+00]> : tensor<10xf32>
    %out:11 = call @program(%in0, %in1) : (tensor<10xf32>, tensor<10xf32>) -> (tensor<10xf32>, tensor<10xf32>, tensor<10xi1>, tensor<10xi1>, tensor<10xi1>, tensor<10xi1>, tensor<10xi1>, tensor<10xi1>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>)
    %want0 = stablehlo.constant dense<[3.5e+00, 2.5e+00, 1.5e+00, 0x7FC00000, 0x7F800000, 0x7F800000, 0x7FC00000, 1.5e+00, 2.5e+00, 3.5e+00]> : tensor<10xf32>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<10xf32>, tensor<10xf32>) -> ()
    %want1 = stablehlo.constant dense<[0.0e+00, 0x80000000, 1.0e-30, 0xFFC00000, 0xFF800000, 0xFF800000, 0x7FC00000, 1.0e-30, 0x80000000, 0.0e+00]> : tensor<10xf32>
    stablehlo.custom_call @check.expect_eq(%out#1, %want1) {has_side_effect = true} : (tensor<10xf32>, tensor<10xf32>) -> ()
    %want2 = stablehlo.constant dense<[false, false, false, false, false, false, false, false, false, false]> : tensor<10xi1>
    stablehlo.custom_call @check.expect_eq(%out#2, %want2) {has_side_effect = true} : (tensor<10xi1>, tensor<10xi1>) -> ()
    %want3 = stablehlo.constant dense<[true, true, true, true, true, true, true, true, true, true]> : tensor<10xi1>
    stablehlo.custom_call @check.expect_eq(%out#3, %want3) {has_side_effect = true} : (tensor<10xi1>, tensor<10xi1>) -> ()
    %want4 = stablehlo.constant dense<[true, true, false, false, false, true, false, true, false, false]> : tensor<10xi1>
    stablehlo.custom_call @check.expect_eq(%out#4, %want4) {has_side_effect = true} : (tensor<10xi1>, tensor<10xi1>) -> ()
    %want5 = stablehlo.constant dense<[true, true, false, false, false, true, false, true, false, false]> : tensor<10xi1>
    stablehlo.custom_call @check.expect_eq(%out#5, %want5) {has_side_effect = true} : (tensor<10xi1>, tensor<10xi1>) -> ()
    %want6 = stablehlo.constant dense<[false, false, true, false, true, false, false, false, true, true]> : tensor<10xi1>
    stablehlo.custom_call @check.expect_eq(%out#6, %want6) {has_side_effect = true} : (tensor<10xi1>, tensor<10xi1>) -> ()
    %want7 = stablehlo.constant dense<[false, false, true, false, true, false, false, false, true, true]> : tensor<10xi1>
    stablehlo.custom_call @check.expect_eq(%out#7, %want7) {has_side_effect = true} : (tensor<10xi1>, tensor<10xi1>) -> ()
    %want8 = stablehlo.constant dense<[0.0e+00, 0x80000000, 1.0e-30, 0x7FC00000, 0xFF800000, 0xFF800000, -1.5e+00, 1.0e-30, 0x80000000, 0.0e+00]> : tensor<10xf32>
    stablehlo.custom_call @check.expect_eq(%out#8, %want8) {has_side_effect = true} : (tensor<10xf32>, tensor<10xf32>) -> ()
    %want9 = stablehlo.constant dense<[0.0e+00, 0x80000000, 1.5e+00, -1.0e+00, 2.0e+00, -1.0e+00, 0x7FC00000, 1.0e-30, 2.0e+00, 2.0e+00]> : tensor<10xf32>
    stablehlo.custom_call @check.expect_eq(%out#9, %want9) {has_side_effect = true} : (tensor<10xf32>, tensor<10xf32>) -> ()
    %want10 = stablehlo.constant dense<[1.4e-45, 1.4e-45, 1.4999999e+00, 0x7FC00000, 3.4028235e+38, -3.4028235e+38, 0x7FC00000, 1.0000001e-30, 2.4999998e+00, 3.4999998e+00]> : tensor<10xf32>
    stablehlo.custom_call @check.expect_eq(%out#10, %want10) {has_side_effect = true} : (tensor<10xf32>, tensor<10xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<10xf32>, %arg1: tensor<10xf32>) -> (tensor<10xf32> {jax.result_info = "result[0]"}, tensor<10xf32> {jax.result_info = "result[1]"}, tensor<10xi1> {jax.result_info = "result[2]"}, tensor<10xi1> {jax.result_info = "result[3]"}, tensor<10xi1> {jax.result_info = "result[4]"}, tensor<10xi1> {jax.result_info = "result[5]"}, tensor<10xi1> {jax.result_info = "result[6]"}, tensor<10xi1> {jax.result_info = "result[7]"}, tensor<10xf32> {jax.result_info = "result[8]"}, tensor<10xf32> {jax.result_info = "result[9]"}, tensor<10xf32> {jax.result_info = "result[10]"}) {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<10xf32>
    %1 = stablehlo.minimum %arg0, %arg1 : tensor<10xf32>
    %2 = stablehlo.compare EQ, %arg0, %arg1, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
    %3 = stablehlo.compare NE, %arg0, %arg1, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
    %4 = stablehlo.compare LT, %arg0, %arg1, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
    %5 = stablehlo.compare LE, %arg0, %arg1, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
    %6 = stablehlo.compare GT, %arg0, %arg1, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
    %7 = stablehlo.compare GE, %arg0, %arg1, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
    %8 = stablehlo.compare LT, %arg0, %arg1, FLOAT : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xi1>
    %9 = call @_where(%8, %arg0, %arg1) : (tensor<10xi1>, tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %12 = stablehlo.clamp %10, %arg0, %11 : tensor<10xf32>
    %13 = chlo.next_after %arg0, %arg1 : tensor<10xf32>, tensor<10xf32> -> tensor<10xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %9, %12, %13 : tensor<10xf32>, tensor<10xf32>, tensor<10xi1>, tensor<10xi1>, tensor<10xi1>, tensor<10xi1>, tensor<10xi1>, tensor<10xi1>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>
  }
  func.func private @_where(%arg0: tensor<10xi1>, %arg1: tensor<10xf32>, %arg2: tensor<10xf32>) -> tensor<10xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<10xi1>, tensor<10xf32>
    return %0 : tensor<10xf32>
  }
}
