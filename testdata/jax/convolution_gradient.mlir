module @convolution_gradient attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[[1.9525401e-01, 8.6075747e-01, 4.110535e-01, 1.7953274e-01, -3.053808e-01, 5.8357644e-01, -2.4965115e-01], [1.5670921e+00, 1.8546511e+00, -4.6623394e-01, 1.1669002e+00, 1.1557968e-01, 2.7217823e-01, 1.7023865e+00]], [[-1.7158557e+00, -1.6514828e+00, -1.9191264e+00, 1.3304794e+00, 1.112627e+00, 1.4800485e+00, 1.9144734e+00], [1.1966343e+00, -1.5408255e-01, 1.1221167e+00, -1.5269023e+00, 5.596841e-01, -1.4265869e+00, 1.7786757e+00]]]> : tensor<2x2x7xf32>
    %in1 = stablehlo.constant dense<[[[-3.3191198e-01, 8.8129795e-01, -1.9995425e+00], [-7.9066974e-01, -1.4129764e+00, -1.6306456e+00]], [[-1.2549591e+00, -6.177571e-01, -4.129301e-01], [1.5526694e-01, -3.2322195e-01, 7.40878e-01]], [[-1.182191e+00, 1.5124698e+00, -1.8904496e+00], [6.8187004e-01, -3.307808e-01, 2.3475932e-01]], [[-1.4384522e+00, -1.207594e+00, 1.2029783e+00], [1.8730463e+00, -7.4630326e-01, 7.6929045e-01]]]> : tensor<4x2x3xf32>
    %out:2 = call @program(%in0, %in1) : (tensor<2x2x7xf32>, tensor<4x2x3xf32>) -> (tensor<2x2x7xf32>, tensor<4x2x3xf32>)
    %want0 = stablehlo.constant dense<[[[-1.9280045e+01, 2.5491032e+01, -9.979727e+00, 1.1255044e+01, -1.5846816e+01, 3.5060143e+01, -5.240968e+00], [1.828677e+01, 4.1675083e+01, 3.114444e+00, 3.0173615e+01, 4.479236e+00, 1.1946249e+01, 1.2171407e+01]], [[1.6084539e+00, -7.4789906e+00, -2.9018166e+01, 7.380939e+01, 7.3377666e+00, 3.9385498e+01, 2.3535498e+01], [-4.7290885e-01, 1.3170862e+01, 3.9638314e+00, -1.4659667e+01, 1.3507524e+01, -5.171022e+01, 1.5887863e+01]]]> : tensor<2x2x7xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#0, %want0) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<2x2x7xf32>, tensor<2x2x7xf32>) -> ()
    %want1 = stablehlo.constant dense<[[[-3.0933946e-01, 7.7016726e+00, -2.388485e+01], [-1.9401909e+01, -3.5220413e+01, -2.6354668e+01]], [[-2.853679e+01, -3.283883e+01, -1.336676e+01], [2.3324823e+01, -1.5335966e+01, 9.90177e+00]], [[1.2857654e+00, 6.6741486e+00, -2.7541655e+01], [1.6020105e+01, -2.6125252e+01, 2.1692394e+01]], [[-4.8629677e+01, -5.5701347e+01, 2.9736254e+00], [5.9173298e+01, -3.3203873e+01, 1.7878555e+01]]]> : tensor<4x2x3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#1, %want1) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<4x2x3xf32>, tensor<4x2x3xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<2x2x7xf32>, %arg1: tensor<4x2x3xf32>) -> (tensor<2x2x7xf32> {jax.result_info = "result[0]"}, tensor<4x2x3xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [2], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x2x7xf32>, tensor<4x2x3xf32>) -> tensor<2x4x4xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<2x4x4xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %3 = stablehlo.multiply %2, %0 : tensor<2x4x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %6 = stablehlo.multiply %5, %3 : tensor<2x4x4xf32>
    %7 = stablehlo.convolution(%arg0, %6) dim_numbers = [f, b, 0]x[i, o, 0]->[f, b, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [2], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x2x7xf32>, tensor<2x4x4xf32>) -> tensor<4x2x3xf32>
    %8 = stablehlo.reverse %arg1, dims = [2] : tensor<4x2x3xf32>
    %9 = stablehlo.convolution(%6, %8) dim_numbers = [b, f, 0]x[i, o, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [2], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4xf32>, tensor<4x2x3xf32>) -> tensor<2x2x7xf32>
    return %9, %7 : tensor<2x2x7xf32>, tensor<4x2x3xf32>
  }
}
