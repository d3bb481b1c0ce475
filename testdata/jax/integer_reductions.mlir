module @integer_reductions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[0, 1, 0, 1], [1, 2, 0, 2], [0, 0, 0, 2]]> : tensor<3x4xi32>
    %out:7 = call @program(%in0) : (tensor<3x4xi32>) -> (tensor<4xi64>, tensor<3xi64>, tensor<i32>, tensor<4xi32>, tensor<3xi32>, tensor<4xi32>, tensor<i64>)
    %want0 = stablehlo.constant dense<[1, 3, 0, 5]> : tensor<4xi64>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<4xi64>, tensor<4xi64>) -> ()
    %want1 = stablehlo.constant dense<[0, 0, 0]> : tensor<3xi64>
    stablehlo.custom_call @check.expect_eq(%out#1, %want1) {has_side_effect = true} : (tensor<3xi64>, tensor<3xi64>) -> ()
    %want2 = stablehlo.constant dense<2> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%out#2, %want2) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    %want3 = stablehlo.constant dense<[0, 0, 0, 0]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%out#3, %want3) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    %want4 = stablehlo.constant dense<[1, 3, 2]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%out#4, %want4) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    %want5 = stablehlo.constant dense<[1, 3, 0, 1]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%out#5, %want5) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    %want6 = stablehlo.constant dense<6> : tensor<i64>
    stablehlo.custom_call @check.expect_eq(%out#6, %want6) {has_side_effect = true} : (tensor<i64>, tensor<i64>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<3x4xi32>) -> (tensor<4xi64> {jax.result_info = "result[0]"}, tensor<3xi64> {jax.result_info = "result[1]"}, tensor<i32> {jax.result_info = "result[2]"}, tensor<4xi32> {jax.result_info = "result[3]"}, tensor<3xi32> {jax.result_info = "result[4]"}, tensor<4xi32> {jax.result_info = "result[5]"}, tensor<i64> {jax.result_info = "result[6]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<3x4xi32>) -> tensor<3x4xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<3x4xi64>, tensor<i64>) -> tensor<4xi64>
    %2 = stablehlo.convert %arg0 : (tensor<3x4xi32>) -> tensor<3x4xi64>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %3 = stablehlo.reduce(%2 init: %c_0) applies stablehlo.multiply across dimensions = [1] : (tensor<3x4xi64>, tensor<i64>) -> tensor<3xi64>
    %c_1 = stablehlo.constant dense<-2147483648> : tensor<i32>
    %4 = stablehlo.reduce(%arg0 init: %c_1) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<3x4xi32>, tensor<i32>) -> tensor<i32>
    %5 = call @reduce(%arg0) : (tensor<3x4xi32>) -> tensor<4xi32>
    %6 = call @reduce_0(%arg0) : (tensor<3x4xi32>) -> tensor<3xi32>
    %7 = call @reduce_1(%arg0) : (tensor<3x4xi32>) -> tensor<4xi32>
    %8 = call @count_nonzero(%arg0) : (tensor<3x4xi32>) -> tensor<i64>
    return %1, %3, %4, %5, %6, %7, %8 : tensor<4xi64>, tensor<3xi64>, tensor<i32>, tensor<4xi32>, tensor<3xi32>, tensor<4xi32>, tensor<i64>
  }
  func.func private @reduce(%arg0: tensor<3x4xi32>) -> tensor<4xi32> {
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.and across dimensions = [0] : (tensor<3x4xi32>, tensor<i32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  func.func private @reduce_0(%arg0: tensor<3x4xi32>) -> tensor<3xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.or across dimensions = [1] : (tensor<3x4xi32>, tensor<i32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func private @reduce_1(%arg0: tensor<3x4xi32>) -> tensor<4xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.xor across dimensions = [0] : (tensor<3x4xi32>, tensor<i32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  func.func private @count_nonzero(%arg0: tensor<3x4xi32>) -> tensor<i64> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x4xi32>
    %1 = stablehlo.compare NE, %arg0, %0, SIGNED : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi1>
    %2 = stablehlo.convert %1 : (tensor<3x4xi1>) -> tensor<3x4xi32>
    %3 = stablehlo.convert %2 : (tensor<3x4xi32>) -> tensor<3x4xi64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %4 = stablehlo.reduce(%3 init: %c_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xi64>, tensor<i64>) -> tensor<i64>
    return %4 : tensor<i64>
  }
}
