module @moves attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
    %out:12 = call @program(%in0) : (tensor<3x4xf32>) -> (tensor<4x3xf32>, tensor<3x2xf32>, tensor<2x6xf32>, tensor<4x4xf32>, tensor<2x2xf32>, tensor<8x5xf32>, tensor<3x8xf32>, tensor<2x3x4xf32>, tensor<3x4xf32>, tensor<3x3xi16>, tensor<3x4xf32>, tensor<3xf32>)
    %want0 = stablehlo.constant dense<[[0.0e+00, 4.0e+00, 8.0e+00], [1.0e+00, 5.0e+00, 9.0e+00], [2.0e+00, 6.0e+00, 1.0e+01], [3.0e+00, 7.0e+00, 1.1e+01]]> : tensor<4x3xf32>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<4x3xf32>, tensor<4x3xf32>) -> ()
    %want1 = stablehlo.constant dense<[[1.1e+01, 9.0e+00], [7.0e+00, 5.0e+00], [3.0e+00, 1.0e+00]]> : tensor<3x2xf32>
    stablehlo.custom_call @check.expect_eq(%out#1, %want1) {has_side_effect = true} : (tensor<3x2xf32>, tensor<3x2xf32>) -> ()
    %want2 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<2x6xf32>
    stablehlo.custom_call @check.expect_eq(%out#2, %want2) {has_side_effect = true} : (tensor<2x6xf32>, tensor<2x6xf32>) -> ()
    %want3 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01], [0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00]]> : tensor<4x4xf32>
    stablehlo.custom_call @check.expect_eq(%out#3, %want3) {has_side_effect = true} : (tensor<4x4xf32>, tensor<4x4xf32>) -> ()
    %want4 = stablehlo.constant dense<[[5.0e+00, 6.0e+00], [9.0e+00, 1.0e+01]]> : tensor<2x2xf32>
    stablehlo.custom_call @check.expect_eq(%out#4, %want4) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
    %want5 = stablehlo.constant dense<[[-1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00], [1.0e+00, 2.0e+00, 3.0e+00, -1.0e+00, -1.0e+00], [-1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00], [-1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, -1.0e+00, -1.0e+00], [-1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00], [-1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00], [9.0e+00, 1.0e+01, 1.1e+01, -1.0e+00, -1.0e+00]]> : tensor<8x5xf32>
    stablehlo.custom_call @check.expect_eq(%out#5, %want5) {has_side_effect = true} : (tensor<8x5xf32>, tensor<8x5xf32>) -> ()
    %want6 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00, 4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01, 8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x8xf32>
    stablehlo.custom_call @check.expect_eq(%out#6, %want6) {has_side_effect = true} : (tensor<3x8xf32>, tensor<3x8xf32>) -> ()
    %want7 = stablehlo.constant dense<[[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]], [[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]]> : tensor<2x3x4xf32>
    stablehlo.custom_call @check.expect_eq(%out#7, %want7) {has_side_effect = true} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> ()
    %want8 = stablehlo.constant dense<[[0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00], [4.0e+00, 5.0e+00, 0.0e+00, 0.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 0.0e+00]]> : tensor<3x4xf32>
    stablehlo.custom_call @check.expect_eq(%out#8, %want8) {has_side_effect = true} : (tensor<3x4xf32>, tensor<3x4xf32>) -> ()
    %want9 = stablehlo.constant dense<[[1, 0, 0], [0, 1, 0], [0, 0, 1]]> : tensor<3x3xi16>
    stablehlo.custom_call @check.expect_eq(%out#9, %want9) {has_side_effect = true} : (tensor<3x3xi16>, tensor<3x3xi16>) -> ()
    %want10 = stablehlo.constant dense<[[3.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [7.0e+00, 4.0e+00, 5.0e+00, 6.0e+00], [1.1e+01, 8.0e+00, 9.0e+00, 1.0e+01]]> : tensor<3x4xf32>
    stablehlo.custom_call @check.expect_eq(%out#10, %want10) {has_side_effect = true} : (tensor<3x4xf32>, tensor<3x4xf32>) -> ()
    %want11 = stablehlo.constant dense<[0.0e+00, 4.0e+00, 8.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%out#11, %want11) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<3x4xf32>) -> (tensor<4x3xf32> {jax.result_info = "result[0]"}, tensor<3x2xf32> {jax.result_info = "result[1]"}, tensor<2x6xf32> {jax.result_info = "result[2]"}, tensor<4x4xf32> {jax.result_info = "result[3]"}, tensor<2x2xf32> {jax.result_info = "result[4]"}, tensor<8x5xf32> {jax.result_info = "result[5]"}, tensor<3x8xf32> {jax.result_info = "result[6]"}, tensor<2x3x4xf32> {jax.result_info = "result[7]"}, tensor<3x4xf32> {jax.result_info = "result[8]"}, tensor<3x3xi16> {jax.result_info = "result[9]"}, tensor<3x4xf32> {jax.result_info = "result[10]"}, tensor<3xf32> {jax.result_info = "result[11]"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.slice %arg0 [0:3, 1:4:2] : (tensor<3x4xf32>) -> tensor<3x2xf32>
    %2 = stablehlo.reverse %1, dims = [0, 1] : tensor<3x2xf32>
    %3 = stablehlo.reshape %arg0 : (tensor<3x4xf32>) -> tensor<2x6xf32>
    %4 = stablehlo.slice %arg0 [0:1, 0:4] : (tensor<3x4xf32>) -> tensor<1x4xf32>
    %5 = stablehlo.concatenate %arg0, %4, dim = 0 : (tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
    %6 = stablehlo.slice %arg0 [1:3, 1:3] : (tensor<3x4xf32>) -> tensor<2x2xf32>
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %7 = stablehlo.pad %arg0, %cst, low = [1, -1], high = [0, 2], interior = [2, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<8x5xf32>
    %8 = stablehlo.reshape %arg0 : (tensor<3x4xf32>) -> tensor<1x3x1x4xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x3x1x4xf32>) -> tensor<1x3x2x4xf32>
    %10 = stablehlo.reshape %9 : (tensor<1x3x2x4xf32>) -> tensor<3x8xf32>
    %11 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<3x4xf32>) -> tensor<1x3x4xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<1x3x4xf32>) -> tensor<2x3x4xf32>
    %13 = call @tril(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %14 = stablehlo.iota dim = 0 : tensor<3x3xi64>
    %15 = stablehlo.iota dim = 1 : tensor<3x3xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %16 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
    %17 = stablehlo.add %14, %16 : tensor<3x3xi64>
    %18 = stablehlo.compare EQ, %17, %15, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
    %19 = stablehlo.convert %18 : (tensor<3x3xi1>) -> tensor<3x3xi16>
    %20 = call @_roll_static(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %21 = stablehlo.slice %arg0 [0:3, 0:1] : (tensor<3x4xf32>) -> tensor<3x1xf32>
    %22 = stablehlo.reshape %21 : (tensor<3x1xf32>) -> tensor<3xf32>
    return %0, %2, %3, %5, %6, %7, %10, %12, %13, %19, %20, %22 : tensor<4x3xf32>, tensor<3x2xf32>, tensor<2x6xf32>, tensor<4x4xf32>, tensor<2x2xf32>, tensor<8x5xf32>, tensor<3x8xf32>, tensor<2x3x4xf32>, tensor<3x4xf32>, tensor<3x3xi16>, tensor<3x4xf32>, tensor<3xf32>
  }
  func.func private @tril(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<3x4xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x4xi64>
    %2 = stablehlo.add %0, %1 : tensor<3x4xi64>
    %3 = stablehlo.iota dim = 1 : tensor<3x4xi64>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<3x4xi64>, tensor<3x4xi64>) -> tensor<3x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<3x4xi1>, tensor<3x4xf32>
    return %6 : tensor<3x4xf32>
  }
  func.func private @_roll_static(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = stablehlo.slice %arg0 [0:3, 3:4] : (tensor<3x4xf32>) -> tensor<3x1xf32>
    %1 = stablehlo.slice %arg0 [0:3, 0:3] : (tensor<3x4xf32>) -> tensor<3x3xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<3x1xf32>, tensor<3x3xf32>) -> tensor<3x4xf32>
    return %2 : tensor<3x4xf32>
  }
}
