module @integers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[3, 6, -9, -6, -6, -2, 0, 9]> : tensor<8xi32>
    %in1 = stablehlo.constant dense<[6, 9, 6, 1, 1, 2, 8, 7]> : tensor<8xi32>
    %in2 = stablehlo.constant dense<[168, 15, 237, 72, 22, 43, 210, 75]> : tensor<8xui8>
    %out:15 = call @program(%in0, %in1, %in2) : (tensor<8xi32>, tensor<8xi32>, tensor<8xui8>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xui8>, tensor<8xui8>, tensor<8xui8>, tensor<8xi32>)
    %want0 = stablehlo.constant dense<[0, 0, -2, -6, -6, -1, 0, 1]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    %want1 = stablehlo.constant dense<[3, 6, 3, 0, 0, 0, 0, 2]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%out#1, %want1) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    %want2 = stablehlo.constant dense<[0, 0, -1, -6, -6, -1, 0, 1]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%out#2, %want2) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    %want3 = stablehlo.constant dense<[3, 6, -3, 0, 0, 0, 0, 2]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%out#3, %want3) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    %want4 = stablehlo.constant dense<[2, 0, 6, 0, 0, 2, 0, 1]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%out#4, %want4) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    %want5 = stablehlo.constant dense<[7, 15, -9, -5, -5, -2, 8, 15]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%out#5, %want5) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    %want6 = stablehlo.constant dense<[5, 15, -15, -5, -5, -4, 8, 14]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%out#6, %want6) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    %want7 = stablehlo.constant dense<[-4, -7, 8, 5, 5, 1, -1, -10]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%out#7, %want7) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    %want8 = stablehlo.constant dense<[3, 192, -9216, -196608, -6291456, -67108864, 0, 0]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%out#8, %want8) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    %want9 = stablehlo.constant dense<[3, 0, -1, -1, -1, -1, 0, 0]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%out#9, %want9) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    %want10 = stablehlo.constant dense<[3, 0, 4194303, 131071, 4095, 127, 0, 0]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%out#10, %want10) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    %want11 = stablehlo.constant dense<[3, 4, 6, 2, 3, 4, 4, 4]> : tensor<8xui8>
    stablehlo.custom_call @check.expect_eq(%out#11, %want11) {has_side_effect = true} : (tensor<8xui8>, tensor<8xui8>) -> ()
    %want12 = stablehlo.constant dense<[0, 4, 0, 1, 3, 2, 0, 1]> : tensor<8xui8>
    stablehlo.custom_call @check.expect_eq(%out#12, %want12) {has_side_effect = true} : (tensor<8xui8>, tensor<8xui8>) -> ()
    %want13 = stablehlo.constant dense<[64, 225, 105, 64, 228, 57, 68, 249]> : tensor<8xui8>
    stablehlo.custom_call @check.expect_eq(%out#13, %want13) {has_side_effect = true} : (tensor<8xui8>, tensor<8xui8>) -> ()
    %want14 = stablehlo.constant dense<[27, 216, -729, -216, -216, -8, 0, 729]> : tensor<8xi32>
    stablehlo.custom_call @check.expect_eq(%out#14, %want14) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<8xi32>, %arg1: tensor<8xi32>, %arg2: tensor<8xui8>) -> (tensor<8xi32> {jax.result_info = "result[0]"}, tensor<8xi32> {jax.result_info = "result[1]"}, tensor<8xi32> {jax.result_info = "result[2]"}, tensor<8xi32> {jax.result_info = "result[3]"}, tensor<8xi32> {jax.result_info = "result[4]"}, tensor<8xi32> {jax.result_info = "result[5]"}, tensor<8xi32> {jax.result_info = "result[6]"}, tensor<8xi32> {jax.result_info = "result[7]"}, tensor<8xi32> {jax.result_info = "result[8]"}, tensor<8xi32> {jax.result_info = "result[9]"}, tensor<8xi32> {jax.result_info = "result[10]"}, tensor<8xui8> {jax.result_info = "result[11]"}, tensor<8xui8> {jax.result_info = "result[12]"}, tensor<8xui8> {jax.result_info = "result[13]"}, tensor<8xi32> {jax.result_info = "result[14]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %c = stablehlo.constant dense<5> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %2 = stablehlo.multiply %0, %1 : tensor<8xi32>
    %3 = call @floor_divide(%arg0, %arg1) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %4 = call @remainder(%arg0, %arg1) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %5 = stablehlo.divide %arg0, %arg1 : tensor<8xi32>
    %6 = stablehlo.remainder %arg0, %arg1 : tensor<8xi32>
    %7 = stablehlo.and %arg0, %arg1 : tensor<8xi32>
    %8 = stablehlo.or %arg0, %arg1 : tensor<8xi32>
    %9 = stablehlo.xor %arg0, %arg1 : tensor<8xi32>
    %10 = stablehlo.not %arg0 : tensor<8xi32>
    %11 = stablehlo.shift_left %arg0, %2 : tensor<8xi32>
    %12 = stablehlo.shift_right_arithmetic %arg0, %2 : tensor<8xi32>
    %13 = stablehlo.shift_right_logical %arg0, %2 : tensor<8xi32>
    %14 = stablehlo.popcnt %arg2 : tensor<8xui8>
    %15 = stablehlo.count_leading_zeros %arg2 : tensor<8xui8>
    %16 = stablehlo.multiply %arg2, %arg2 : tensor<8xui8>
    %17 = stablehlo.multiply %arg0, %arg0 : tensor<8xi32>
    %18 = stablehlo.multiply %17, %arg0 : tensor<8xi32>
    return %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %18 : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xui8>, tensor<8xui8>, tensor<8xui8>, tensor<8xi32>
  }
  func.func private @floor_divide(%arg0: tensor<8xi32>, %arg1: tensor<8xi32>) -> tensor<8xi32> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<8xi32>
    %1 = stablehlo.sign %arg0 : tensor<8xi32>
    %2 = stablehlo.sign %arg1 : tensor<8xi32>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<8xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %7 = stablehlo.and %3, %6 : tensor<8xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %9 = stablehlo.subtract %0, %8 : tensor<8xi32>
    %10 = call @_where(%7, %9, %0) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    return %10 : tensor<8xi32>
  }
  func.func private @_where(%arg0: tensor<8xi1>, %arg1: tensor<8xi32>, %arg2: tensor<8xi32>) -> tensor<8xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<8xi1>, tensor<8xi32>
    return %0 : tensor<8xi32>
  }
  func.func private @remainder(%arg0: tensor<8xi32>, %arg1: tensor<8xi32>) -> tensor<8xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %3 = call @_where(%1, %2, %arg1) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<8xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
    %12 = stablehlo.and %11, %6 : tensor<8xi1>
    %13 = stablehlo.add %4, %3 : tensor<8xi32>
    %14 = stablehlo.select %12, %13, %4 : tensor<8xi1>, tensor<8xi32>
    return %14 : tensor<8xi32>
  }
}
