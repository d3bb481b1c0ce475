module @layer_norm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[1.9525401e-01, 8.6075747e-01, 4.110535e-01, 1.7953274e-01, -3.053808e-01, 5.8357644e-01], [-2.4965115e-01, 1.5670921e+00, 1.8546511e+00, -4.6623394e-01, 1.1669002e+00, 1.1557968e-01], [2.7217823e-01, 1.7023865e+00, -1.7158557e+00, -1.6514828e+00, -1.9191264e+00, 1.3304794e+00]]> : tensor<3x6xf32>
    %in1 = stablehlo.constant dense<[-3.3191198e-01, 8.8129795e-01, -1.9995425e+00, -7.9066974e-01, -1.4129764e+00, -1.6306456e+00]> : tensor<6xf32>
    %out = call @program(%in0, %in1) : (tensor<3x6xf32>, tensor<6xf32>) -> tensor<3x6xf32>
    %want0 = stablehlo.constant dense<[[1.14362456e-01, 1.3060045e+00, -4.952922e-01, 3.0654538e-01, 2.428261e+00, -1.1760054e+00], [3.3586505e-01, 8.8008565e-01, -2.6331117e+00, 9.895987e-01, -7.852534e-01, 9.909763e-01], [-1.3358323e-01, 1.1967759e+00, 1.8510053e+00, 6.979303e-01, 1.4998984e+00, -1.8092068e+00]]> : tensor<3x6xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out, %want0) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<3x6xf32>, tensor<3x6xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<3x6xf32>, %arg1: tensor<6xf32>) -> (tensor<3x6xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x6xf32>, tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<3x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x6xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<3x6xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<3x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<3x6xf32>, tensor<f32>) -> tensor<3xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %cst_2 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<3x1xf32>
    %cst_3 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x1xf32>
    %12 = stablehlo.add %10, %11 : tensor<3x1xf32>
    %13 = stablehlo.rsqrt %12 : tensor<3x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x6xf32>
    %15 = stablehlo.multiply %5, %14 : tensor<3x6xf32>
    %16 = stablehlo.optimization_barrier %15 : tensor<3x6xf32>
    %17 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<3x6xf32>
    %19 = stablehlo.multiply %16, %18 : tensor<3x6xf32>
    return %19 : tensor<3x6xf32>
  }
}
