module @pools attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[[[1.9525401e-01, 8.6075747e-01], [4.110535e-01, 1.7953274e-01], [-3.053808e-01, 5.8357644e-01], [-2.4965115e-01, 1.5670921e+00], [1.8546511e+00, -4.6623394e-01], [1.1669002e+00, 1.1557968e-01]], [[2.7217823e-01, 1.7023865e+00], [-1.7158557e+00, -1.6514828e+00], [-1.9191264e+00, 1.3304794e+00], [1.112627e+00, 1.4800485e+00], [1.9144734e+00, 1.1966343e+00], [-1.5408255e-01, 1.1221167e+00]], [[-1.5269023e+00, 5.596841e-01], [-1.4265869e+00, 1.7786757e+00], [8.7393284e-02, -3.4135225e-01], [-9.417775e-01, 1.0969348e+00], [-1.7539868e-01, 2.737358e-01], [-1.9248408e+00, 4.7054198e-01]], [[4.4838288e-01, 4.6773598e-01], [1.7749923e+00, 7.272812e-01], [-5.619684e-01, -2.5187218e-01], [7.905248e-01, -1.7590982e+00], [6.670669e-01, 6.825515e-01], [-1.1584698e+00, -1.4842948e+00]], [[-7.382866e-01, -5.451569e-01], [2.8078708e-01, -2.4559395e-01], [1.9534954e+00, -1.5918207e+00], [-1.164493e+00, -1.354762e+00], [6.124333e-01, -9.868336e-01], [-1.3475691e-01, -1.0222976e+00]], [[-1.3641217e+00, -1.5584995e+00], [6.2531835e-01, -1.4472682e+00], [-1.2136706e+00, -5.2509934e-01], [1.283973e+00, -1.6115949e+00], [1.3517796e+00, -1.6156064e+00], [1.9058379e+00, -1.253952e-01]]]]> : tensor<1x6x6x2xf32>
    %out:3 = call @program(%in0) : (tensor<1x6x6x2xf32>) -> (tensor<1x3x3x2xf32>, tensor<1x4x5x2xf32>, tensor<1x6x6x2xf32>)
    %want0 = stablehlo.constant dense<[[[[4.110535e-01, 1.7786757e+00], [1.9144734e+00, 1.5670921e+00], [1.9144734e+00, 1.1966343e+00]], [[1.9534954e+00, 1.7786757e+00], [1.9534954e+00, 1.0969348e+00], [6.670669e-01, 6.825515e-01]], [[1.9534954e+00, -2.4559395e-01], [1.9534954e+00, -5.2509934e-01], [1.9058379e+00, -1.253952e-01]]]]> : tensor<1x3x3x2xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#0, %want0) {has_side_effect = true, tolerance = 1.0e-06 : f64} : (tensor<1x3x3x2xf32>, tensor<1x3x3x2xf32>) -> ()
    %want1 = stablehlo.constant dense<[[[[-2.3471818e+00, 3.3786502e+00], [-1.2335209e+00, 2.2004325e+00], [-1.4094162e+00, 2.9062512e+00], [4.878237e-01, 2.4715288e+00], [9.2131174e-01, 3.9362353e-01]], [[7.796978e-01, 1.2459209e+00], [-2.4219582e+00, 1.544056e-01], [-5.77943e-01, 7.9955757e-01], [4.484692e+00, 1.6001363e+00], [1.268988e+00, 1.5170075e+00]], [[-3.4109888e+00, 1.547609e+00], [8.950889e-01, -4.0009117e-01], [-6.5381885e-02, -2.191e+00], [-1.6692358e+00, -9.70925e-01], [-1.6225631e+00, -1.2648535e+00]], [[1.4845719e+00, -1.8107505e+00], [6.246716e-01, -1.4969585e+00], [2.9885876e-01, -4.1476645e+00], [4.093344e+00, -4.303748e+00], [2.7662146e+00, -2.542745e+00]]]]> : tensor<1x4x5x2xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#1, %want1) {has_side_effect = true, tolerance = 1.0e-06 : f64} : (tensor<1x4x5x2xf32>, tensor<1x4x5x2xf32>) -> ()
    %want2 = stablehlo.constant dense<[[[[0.0e+00, 0.0e+00], [8.22107e-01, 0.0e+00], [0.0e+00, 0.0e+00], [0.0e+00, 3.1341841e+00], [0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00]], [[0.0e+00, 3.404773e+00], [0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00], [2.225254e+00, 0.0e+00], [3.8289468e+00, 2.3932686e+00], [0.0e+00, 0.0e+00]], [[0.0e+00, 0.0e+00], [0.0e+00, 3.5573514e+00], [0.0e+00, 0.0e+00], [0.0e+00, 2.1938696e+00], [0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00]], [[0.0e+00, 0.0e+00], [3.5499847e+00, 0.0e+00], [0.0e+00, 0.0e+00], [1.5810496e+00, 0.0e+00], [1.3341337e+00, 1.365103e+00], [0.0e+00, 0.0e+00]], [[0.0e+00, 0.0e+00], [0.0e+00, -4.911879e-01], [3.9069908e+00, 0.0e+00], [0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00]], [[0.0e+00, 0.0e+00], [1.2506367e+00, 0.0e+00], [0.0e+00, -1.0501987e+00], [0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00], [3.8116758e+00, -2.507904e-01]]]]> : tensor<1x6x6x2xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#2, %want2) {has_side_effect = true, tolerance = 1.0e-06 : f64} : (tensor<1x6x6x2xf32>, tensor<1x6x6x2xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<1x6x6x2xf32>) -> (tensor<1x3x3x2xf32> {jax.result_info = "result[0]"}, tensor<1x4x5x2xf32> {jax.result_info = "result[1]"}, tensor<1x6x6x2xf32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %15 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %15 : tensor<f32>
    }) : (tensor<1x6x6x2xf32>, tensor<f32>) -> tensor<1x3x3x2xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<f32>
    %3 = "stablehlo.reduce_window"(%arg0, %2) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 2, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %15 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %15 : tensor<f32>
    }) : (tensor<1x6x6x2xf32>, tensor<f32>) -> tensor<1x4x5x2xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<f32>
    %5 = "stablehlo.reduce_window"(%arg0, %4) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %15 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %15 : tensor<f32>
    }) : (tensor<1x6x6x2xf32>, tensor<f32>) -> tensor<1x3x3x2xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<1x3x3x2xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1x3x3x2xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<1x3x3x2xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<1x3x3x2xf32>, tensor<f32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x3x3x2xf32>
    %11 = stablehlo.multiply %10, %8 : tensor<1x3x3x2xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %12 = stablehlo.pad %arg0, %cst_5, low = [0, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<1x6x6x2xf32>, tensor<f32>) -> tensor<1x6x6x2xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = "stablehlo.select_and_scatter"(%12, %11, %cst_6) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %15 = stablehlo.compare GE, %arg1, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %15 : tensor<i1>
    }, {
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %15 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %15 : tensor<f32>
    }) : (tensor<1x6x6x2xf32>, tensor<1x3x3x2xf32>, tensor<f32>) -> tensor<1x6x6x2xf32>
    %14 = stablehlo.slice %13 [0:1, 0:6, 0:6, 0:2] : (tensor<1x6x6x2xf32>) -> tensor<1x6x6x2xf32>
    return %1, %3, %14 : tensor<1x3x3x2xf32>, tensor<1x4x5x2xf32>, tensor<1x6x6x2xf32>
  }
}
