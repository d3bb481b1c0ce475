module @reductions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[1.9525401e-01, 8.6075747e-01, 4.110535e-01, 1.7953274e-01, -3.053808e-01], [5.8357644e-01, -2.4965115e-01, 1.5670921e+00, 1.8546511e+00, -4.6623394e-01], [1.1669002e+00, 1.1557968e-01, 2.7217823e-01, 1.7023865e+00, -1.7158557e+00]]> : tensor<3x5xf32>
    %out:11 = call @program(%in0) : (tensor<3x5xf32>) -> (tensor<f32>, tensor<5xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<5xf32>, tensor<f32>, tensor<3xi1>, tensor<i1>, tensor<3xf32>, tensor<f32>)
    %want0 = stablehlo.constant dense<6.17184e+00> : tensor<f32>
    stablehlo.custom_call @check.expect_almost_eq(%out#0, %want0) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<f32>, tensor<f32>) -> ()
    %want1 = stablehlo.constant dense<[1.9457307e+00, 7.26686e-01, 2.2503238e+00, 3.7365704e+00, -2.4874704e+00]> : tensor<5xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#1, %want1) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<5xf32>, tensor<5xf32>) -> ()
    %want2 = stablehlo.constant dense<[8.6075747e-01, 1.8546511e+00, 1.7023865e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#2, %want2) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<3xf32>, tensor<3xf32>) -> ()
    %want3 = stablehlo.constant dense<-1.7158557e+00> : tensor<f32>
    stablehlo.custom_call @check.expect_almost_eq(%out#3, %want3) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<f32>, tensor<f32>) -> ()
    %want4 = stablehlo.constant dense<[-3.7876037e-03, 1.9742037e-01, -1.07227825e-01]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#4, %want4) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<3xf32>, tensor<3xf32>) -> ()
    %want5 = stablehlo.constant dense<[6.485769e-01, 2.4222867e-01, 7.5010794e-01, 1.2455235e+00, -8.291568e-01]> : tensor<5xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#5, %want5) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<5xf32>, tensor<5xf32>) -> ()
    %want6 = stablehlo.constant dense<8.2274586e-01> : tensor<f32>
    stablehlo.custom_call @check.expect_almost_eq(%out#6, %want6) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<f32>, tensor<f32>) -> ()
    %want7 = stablehlo.constant dense<[true, true, true]> : tensor<3xi1>
    stablehlo.custom_call @check.expect_eq(%out#7, %want7) {has_side_effect = true} : (tensor<3xi1>, tensor<3xi1>) -> ()
    %want8 = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.custom_call @check.expect_eq(%out#8, %want8) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    %want9 = stablehlo.constant dense<[1.9491161e+00, 2.66591e+00, 2.4260588e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#9, %want9) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<3xf32>, tensor<3xf32>) -> ()
    %want10 = stablehlo.constant dense<3.8575418e+00> : tensor<f32>
    stablehlo.custom_call @check.expect_almost_eq(%out#10, %want10) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<f32>, tensor<f32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<3x5xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<5xf32> {jax.result_info = "result[1]"}, tensor<3xf32> {jax.result_info = "result[2]"}, tensor<f32> {jax.result_info = "result[3]"}, tensor<3xf32> {jax.result_info = "result[4]"}, tensor<5xf32> {jax.result_info = "result[5]"}, tensor<f32> {jax.result_info = "result[6]"}, tensor<3xi1> {jax.result_info = "result[7]"}, tensor<i1> {jax.result_info = "result[8]"}, tensor<3xf32> {jax.result_info = "result[9]"}, tensor<f32> {jax.result_info = "result[10]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<3x5xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%arg0 init: %cst_1) applies stablehlo.maximum across dimensions = [1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %3 = stablehlo.reduce(%arg0 init: %cst_2) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%arg0 init: %cst_3) applies stablehlo.multiply across dimensions = [1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%arg0 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<3x5xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_5 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %7 = stablehlo.divide %5, %6 : tensor<5xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %8 = call @_var(%arg0, %c) : (tensor<3x5xf32>, tensor<i64>) -> tensor<f32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %10 = stablehlo.compare GT, %arg0, %9, FLOAT : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xi1>
    %c_7 = stablehlo.constant dense<false> : tensor<i1>
    %11 = stablehlo.reduce(%10 init: %c_7) applies stablehlo.or across dimensions = [1] : (tensor<3x5xi1>, tensor<i1>) -> tensor<3xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %13 = stablehlo.compare GT, %arg0, %12, FLOAT : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xi1>
    %c_9 = stablehlo.constant dense<true> : tensor<i1>
    %14 = stablehlo.reduce(%13 init: %c_9) applies stablehlo.and across dimensions = [0, 1] : (tensor<3x5xi1>, tensor<i1>) -> tensor<i1>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %15 = stablehlo.reduce(%arg0 init: %cst_10) applies stablehlo.maximum across dimensions = [1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %17 = stablehlo.maximum %16, %15 : tensor<3xf32>
    %18 = stablehlo.is_finite %17 : (tensor<3xf32>) -> tensor<3xi1>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %20 = stablehlo.select %18, %17, %19 : tensor<3xi1>, tensor<3xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x5xf32>
    %23 = stablehlo.subtract %arg0, %22 : tensor<3x5xf32>
    %24 = stablehlo.exponential %23 : tensor<3x5xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%24 init: %cst_13) applies stablehlo.add across dimensions = [1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
    %26 = stablehlo.sign %25 : tensor<3xf32>
    %27 = stablehlo.abs %25 : tensor<3xf32>
    %28 = stablehlo.log %27 : tensor<3xf32>
    %29 = stablehlo.add %28, %20 : tensor<3xf32>
    %30 = call @norm(%arg0) : (tensor<3x5xf32>) -> tensor<f32>
    return %0, %1, %2, %3, %4, %7, %8, %11, %14, %29, %30 : tensor<f32>, tensor<5xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<5xf32>, tensor<f32>, tensor<3xi1>, tensor<i1>, tensor<3xf32>, tensor<f32>
  }
  func.func private @_var(%arg0: tensor<3x5xf32>, %arg1: tensor<i64>) -> tensor<f32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %cst_0 = stablehlo.constant dense<1.500000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<1x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<3x5xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<3x5xf32>
    %6 = chlo.square %5 : tensor<3x5xf32> -> tensor<3x5xf32>
    %7 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.500000e+01> : tensor<f32>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<f32>
    %10 = stablehlo.divide %9, %8 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %12 = call @_where(%11, %10, %cst_4) : (tensor<i1>, tensor<f32>, tensor<f64>) -> tensor<f32>
    return %12 : tensor<f32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f64>) -> tensor<f32> {
    %0 = stablehlo.convert %arg2 : (tensor<f64>) -> tensor<f32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<i1>, tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @norm(%arg0: tensor<3x5xf32>) -> tensor<f32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<3x5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.sqrt %1 : tensor<f32>
    return %2 : tensor<f32>
  }
}
