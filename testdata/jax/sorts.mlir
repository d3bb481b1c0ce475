module @sorts attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[3.0e+00, 1.0e+00, 0x7FC00000, -2.0e+00], [0.0e+00, 0x80000000, 0x7F800000, 0xFF800000]]> : tensor<2x4xf32>
    %in1 = stablehlo.constant dense<[[0, 1, 0, 1], [1, 2, 0, 2]]> : tensor<2x4xi32>
    %out:7 = call @program(%in0, %in1) : (tensor<2x4xf32>, tensor<2x4xi32>) -> (tensor<2x4xf32>, tensor<2x4xi64>, tensor<2x4xi32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xi32>, tensor<2x4xf32>)
    %want0 = stablehlo.constant dense<[[-2.0e+00, 1.0e+00, 3.0e+00, 0x7FC00000], [0xFF800000, 0.0e+00, 0x80000000, 0x7F800000]]> : tensor<2x4xf32>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
    %want1 = stablehlo.constant dense<[[3, 1, 0, 2], [3, 0, 1, 2]]> : tensor<2x4xi64>
    stablehlo.custom_call @check.expect_eq(%out#1, %want1) {has_side_effect = true} : (tensor<2x4xi64>, tensor<2x4xi64>) -> ()
    %want2 = stablehlo.constant dense<[[0, 0, 1, 1], [0, 1, 2, 2]]> : tensor<2x4xi32>
    stablehlo.custom_call @check.expect_eq(%out#2, %want2) {has_side_effect = true} : (tensor<2x4xi32>, tensor<2x4xi32>) -> ()
    %want3 = stablehlo.constant dense<[[3.0e+00, 0x7FC00000, 1.0e+00, -2.0e+00], [0x7F800000, 0.0e+00, 0x80000000, 0xFF800000]]> : tensor<2x4xf32>
    stablehlo.custom_call @check.expect_eq(%out#3, %want3) {has_side_effect = true} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
    %want4 = stablehlo.constant dense<[[3.0e+00, 1.0e+00, 0x7F800000, -2.0e+00], [0.0e+00, 0x80000000, 0x7FC00000, 0xFF800000]]> : tensor<2x4xf32>
    stablehlo.custom_call @check.expect_eq(%out#4, %want4) {has_side_effect = true} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
    %want5 = stablehlo.constant dense<[[0, 1, 0, 1], [1, 2, 0, 2]]> : tensor<2x4xi32>
    stablehlo.custom_call @check.expect_eq(%out#5, %want5) {has_side_effect = true} : (tensor<2x4xi32>, tensor<2x4xi32>) -> ()
    %want6 = stablehlo.constant dense<[[3.0e+00, 1.0e+00, 0x7F800000, -2.0e+00], [0.0e+00, 0x80000000, 0x7FC00000, 0xFF800000]]> : tensor<2x4xf32>
    stablehlo.custom_call @check.expect_eq(%out#6, %want6) {has_side_effect = true} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<2x4xf32>, %arg1: tensor<2x4xi32>) -> (tensor<2x4xf32> {jax.result_info = "result[0]"}, tensor<2x4xi64> {jax.result_info = "result[1]"}, tensor<2x4xi32> {jax.result_info = "result[2]"}, tensor<2x4xf32> {jax.result_info = "result[3]"}, tensor<2x4xf32> {jax.result_info = "result[4]"}, tensor<2x4xi32> {jax.result_info = "result[5]"}, tensor<2x4xf32> {jax.result_info = "result[6]"}) {
    %0:2 = "stablehlo.sort"(%arg1, %arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<f32>, %arg5: tensor<f32>):
      %7 = stablehlo.compare LT, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    }) : (tensor<2x4xi32>, tensor<2x4xf32>) -> (tensor<2x4xi32>, tensor<2x4xf32>)
    %1 = call @sort(%arg0) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = call @argsort(%arg0) : (tensor<2x4xf32>) -> tensor<2x4xi64>
    %3 = stablehlo.negate %arg0 : tensor<2x4xf32>
    %4 = call @sort_0(%3) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %5 = stablehlo.negate %4 : tensor<2x4xf32>
    %6:2 = "stablehlo.sort"(%arg1, %arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<f32>, %arg5: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.compare EQ, %arg4, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %8 = stablehlo.select %7, %cst_0, %arg4 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare NE, %arg4, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %10 = stablehlo.select %9, %cst_1, %8 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %11 = stablehlo.compare EQ, %arg5, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %12 = stablehlo.select %11, %cst_3, %arg5 : tensor<i1>, tensor<f32>
      %13 = stablehlo.compare NE, %arg5, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %14 = stablehlo.select %13, %cst_4, %12 : tensor<i1>, tensor<f32>
      %15 = stablehlo.compare LT, %10, %14, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %16 = stablehlo.compare LT, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %17 = stablehlo.compare EQ, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %18 = stablehlo.and %17, %15 : tensor<i1>
      %19 = stablehlo.or %16, %18 : tensor<i1>
      stablehlo.return %19 : tensor<i1>
    }) : (tensor<2x4xi32>, tensor<2x4xf32>) -> (tensor<2x4xi32>, tensor<2x4xf32>)
    return %1, %2, %0#0, %0#1, %5, %6#0, %6#1 : tensor<2x4xf32>, tensor<2x4xi64>, tensor<2x4xi32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xi32>, tensor<2x4xf32>
  }
  func.func private @sort(%arg0: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
  func.func private @argsort(%arg0: tensor<2x4xf32>) -> tensor<2x4xi64> {
    %0 = stablehlo.iota dim = 1 : tensor<2x4xi64>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i64>, %arg4: tensor<i64>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.select %2, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %4 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %5 = stablehlo.select %4, %cst_1, %3 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.select %6, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %8 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %9 = stablehlo.select %8, %cst_4, %7 : tensor<i1>, tensor<f32>
      %10 = stablehlo.compare LT, %5, %9, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }) : (tensor<2x4xf32>, tensor<2x4xi64>) -> (tensor<2x4xf32>, tensor<2x4xi64>)
    return %1#1 : tensor<2x4xi64>
  }
  func.func private @sort_0(%arg0: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
}
