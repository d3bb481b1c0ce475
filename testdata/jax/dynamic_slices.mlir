module @dynamic_slices attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
    %in1 = stablehlo.constant dense<2> : tensor<i32>
    %in2 = stablehlo.constant dense<-1> : tensor<i32>
    %out:2 = call @program(%in0, %in1, %in2) : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<3x4xf32>)
    %want0 = stablehlo.constant dense<[[5.0e+00, 6.0e+00, 7.0e+00], [9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %want1 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, -5.0e+00, -6.0e+00, -7.0e+00], [8.0e+00, -9.0e+00, -1.0e+01, -1.1e+01]]> : tensor<3x4xf32>
    stablehlo.custom_call @check.expect_eq(%out#1, %want1) {has_side_effect = true} : (tensor<3x4xf32>, tensor<3x4xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<3x4xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<2x3xf32> {jax.result_info = "result[0]"}, tensor<3x4xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg1 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.compare LT, %arg2, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<4> : tensor<i32>
    %4 = stablehlo.add %arg2, %c_2 : tensor<i32>
    %5 = stablehlo.select %3, %4, %arg2 : tensor<i1>, tensor<i32>
    %6 = stablehlo.dynamic_slice %arg0, %2, %5, sizes = [2, 3] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %7 = stablehlo.negate %6 : tensor<2x3xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.compare LT, %arg2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_4 = stablehlo.constant dense<3> : tensor<i32>
    %9 = stablehlo.add %arg2, %c_4 : tensor<i32>
    %10 = stablehlo.select %8, %9, %arg2 : tensor<i1>, tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %11 = stablehlo.compare LT, %arg1, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_6 = stablehlo.constant dense<4> : tensor<i32>
    %12 = stablehlo.add %arg1, %c_6 : tensor<i32>
    %13 = stablehlo.select %11, %12, %arg1 : tensor<i1>, tensor<i32>
    %14 = stablehlo.dynamic_update_slice %arg0, %7, %10, %13 : (tensor<3x4xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
    return %6, %14 : tensor<2x3xf32>, tensor<3x4xf32>
  }
}
