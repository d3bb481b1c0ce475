module @four_bits attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[4, 7, -3, -8, -5, 3]> : tensor<6xi4>
    %in1 = stablehlo.constant dense<[12, 15, 5, 0, 3, 11]> : tensor<6xui4>
    %out:5 = call @program(%in0, %in1) : (tensor<6xi4>, tensor<6xui4>) -> (tensor<6xi4>, tensor<6xi32>, tensor<6xui4>, tensor<6xf32>, tensor<6xi1>)
    %want0 = stablehlo.constant dense<[-8, -2, -6, 0, 6, 6]> : tensor<6xi4>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<6xi4>, tensor<6xi4>) -> ()
    %want1 = stablehlo.constant dense<[12, 21, -9, -24, -15, 9]> : tensor<6xi32>
    stablehlo.custom_call @check.expect_eq(%out#1, %want1) {has_side_effect = true} : (tensor<6xi32>, tensor<6xi32>) -> ()
    %want2 = stablehlo.constant dense<[0, 1, 9, 0, 9, 9]> : tensor<6xui4>
    stablehlo.custom_call @check.expect_eq(%out#2, %want2) {has_side_effect = true} : (tensor<6xui4>, tensor<6xui4>) -> ()
    %want3 = stablehlo.constant dense<[1.2e+01, 1.5e+01, 5.0e+00, 0.0e+00, 3.0e+00, 1.1e+01]> : tensor<6xf32>
    stablehlo.custom_call @check.expect_eq(%out#3, %want3) {has_side_effect = true} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %want4 = stablehlo.constant dense<[true, true, false, false, false, true]> : tensor<6xi1>
    stablehlo.custom_call @check.expect_eq(%out#4, %want4) {has_side_effect = true} : (tensor<6xi1>, tensor<6xi1>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<6xi4>, %arg1: tensor<6xui4>) -> (tensor<6xi4> {jax.result_info = "result[0]"}, tensor<6xi32> {jax.result_info = "result[1]"}, tensor<6xui4> {jax.result_info = "result[2]"}, tensor<6xf32> {jax.result_info = "result[3]"}, tensor<6xi1> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<6xi4>
    %1 = stablehlo.convert %arg0 : (tensor<6xi4>) -> tensor<6xi32>
    %c = stablehlo.constant dense<3> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<6xi32>
    %4 = stablehlo.multiply %arg1, %arg1 : tensor<6xui4>
    %5 = stablehlo.convert %arg1 : (tensor<6xui4>) -> tensor<6xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i4>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i4>) -> tensor<6xi4>
    %7 = stablehlo.compare GT, %arg0, %6, SIGNED : (tensor<6xi4>, tensor<6xi4>) -> tensor<6xi1>
    return %0, %3, %4, %5, %7 : tensor<6xi4>, tensor<6xi32>, tensor<6xui4>, tensor<6xf32>, tensor<6xi1>
  }
}
