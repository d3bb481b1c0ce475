module @cumulative attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[1.9525401e-01, 8.6075747e-01, 4.110535e-01, 1.7953274e-01, -3.053808e-01], [5.8357644e-01, -2.4965115e-01, 1.5670921e+00, 1.8546511e+00, -4.6623394e-01]]> : tensor<2x5xf32>
    %out:6 = call @program(%in0) : (tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>)
    %want0 = stablehlo.constant dense<[[1.9525401e-01, 1.0560114e+00, 1.467065e+00, 1.6465977e+00, 1.3412169e+00], [5.8357644e-01, 3.339253e-01, 1.9010174e+00, 3.7556686e+00, 3.2894347e+00]]> : tensor<2x5xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#0, %want0) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<2x5xf32>, tensor<2x5xf32>) -> ()
    %want1 = stablehlo.constant dense<[[1.9525401e-01, 8.6075747e-01, 4.110535e-01, 1.7953274e-01, -3.053808e-01], [1.1394564e-01, -2.148891e-01, 6.4415866e-01, 3.329706e-01, 1.423789e-01]]> : tensor<2x5xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#1, %want1) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<2x5xf32>, tensor<2x5xf32>) -> ()
    %want2 = stablehlo.constant dense<[[1.9525401e-01, 8.6075747e-01, 8.6075747e-01, 8.6075747e-01, 8.6075747e-01], [5.8357644e-01, 5.8357644e-01, 1.5670921e+00, 1.8546511e+00, 1.8546511e+00]]> : tensor<2x5xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#2, %want2) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<2x5xf32>, tensor<2x5xf32>) -> ()
    %want3 = stablehlo.constant dense<[[1.9525401e-01, 1.9525401e-01, 1.9525401e-01, 1.7953274e-01, -3.053808e-01], [5.8357644e-01, -2.4965115e-01, -2.4965115e-01, -2.4965115e-01, -4.6623394e-01]]> : tensor<2x5xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#3, %want3) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<2x5xf32>, tensor<2x5xf32>) -> ()
    %want4 = stablehlo.constant dense<[[1.3412169e+00, 1.145963e+00, 2.8520545e-01, -1.2584805e-01, -3.053808e-01], [3.2894347e+00, 2.705858e+00, 2.9555092e+00, 1.3884171e+00, -4.6623394e-01]]> : tensor<2x5xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#4, %want4) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<2x5xf32>, tensor<2x5xf32>) -> ()
    %want5 = stablehlo.constant dense<[[1.9525401e-01, 1.2755224e+00, 1.6270769e+00, 1.8382668e+00, 1.9491161e+00], [5.8357644e-01, 9.444933e-01, 1.9966305e+00, 2.6213057e+00, 2.66591e+00]]> : tensor<2x5xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#5, %want5) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<2x5xf32>, tensor<2x5xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<2x5xf32>) -> (tensor<2x5xf32> {jax.result_info = "result[0]"}, tensor<2x5xf32> {jax.result_info = "result[1]"}, tensor<2x5xf32> {jax.result_info = "result[2]"}, tensor<2x5xf32> {jax.result_info = "result[3]"}, tensor<2x5xf32> {jax.result_info = "result[4]"}, tensor<2x5xf32> {jax.result_info = "result[5]"}) {
    %0 = call @cumsum(%arg0) : (tensor<2x5xf32>) -> tensor<2x5xf32>
    %1 = call @cumprod(%arg0) : (tensor<2x5xf32>) -> tensor<2x5xf32>
    %2 = call @cummax(%arg0) : (tensor<2x5xf32>) -> tensor<2x5xf32>
    %3 = call @cummin(%arg0) : (tensor<2x5xf32>) -> tensor<2x5xf32>
    %4 = call @cumsum_2(%arg0) : (tensor<2x5xf32>) -> tensor<2x5xf32>
    %5 = call @cumlogsumexp(%arg0) : (tensor<2x5xf32>) -> tensor<2x5xf32>
    return %0, %1, %2, %3, %4, %5 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>
  }
  func.func private @cumsum(%arg0: tensor<2x5xf32>) -> tensor<2x5xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<2x5xf32>) -> tensor<2x5xf32>
    return %0 : tensor<2x5xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<2x5xf32>) -> tensor<2x5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x5xf32>
    return %1 : tensor<2x5xf32>
  }
  func.func private @cumprod(%arg0: tensor<2x5xf32>) -> tensor<2x5xf32> {
    %0 = call @cumprod_1(%arg0) : (tensor<2x5xf32>) -> tensor<2x5xf32>
    return %0 : tensor<2x5xf32>
  }
  func.func private @cumprod_1(%arg0: tensor<2x5xf32>) -> tensor<2x5xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x5xf32>
    return %0 : tensor<2x5xf32>
  }
  func.func private @cummax(%arg0: tensor<2x5xf32>) -> tensor<2x5xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x5xf32>
    return %1 : tensor<2x5xf32>
  }
  func.func private @cummin(%arg0: tensor<2x5xf32>) -> tensor<2x5xf32> {
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.minimum %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x5xf32>
    return %1 : tensor<2x5xf32>
  }
  func.func private @cumsum_2(%arg0: tensor<2x5xf32>) -> tensor<2x5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 4]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x5xf32>
    return %1 : tensor<2x5xf32>
  }
  func.func private @cumlogsumexp(%arg0: tensor<2x5xf32>) -> tensor<2x5xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      %2 = stablehlo.subtract %arg1, %arg2 : tensor<f32>
      %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.add %arg1, %arg2 : tensor<f32>
      %5 = stablehlo.abs %2 : tensor<f32>
      %6 = stablehlo.negate %5 : tensor<f32>
      %7 = stablehlo.exponential %6 : tensor<f32>
      %8 = stablehlo.log_plus_one %7 : tensor<f32>
      %9 = stablehlo.add %1, %8 : tensor<f32>
      %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x5xf32>
    return %0 : tensor<2x5xf32>
  }
}
