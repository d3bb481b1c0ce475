module @complex_dot attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[(1.9525401e-01, -3.3191198e-01), (8.6075747e-01, 8.8129795e-01), (4.110535e-01, -1.9995425e+00)], [(1.7953274e-01, -7.9066974e-01), (-3.053808e-01, -1.4129764e+00), (5.8357644e-01, -1.6306456e+00)]]> : tensor<2x3xcomplex<f32>>
    %in1 = stablehlo.constant dense<[[(-1.6947669e+00, 1.4937177e+00), (1.1196752e+00, 1.8741627e+00)], [(-2.4636307e-01, 1.4767781e+00), (8.938607e-01, 1.23422764e-01)], [(1.9119581e+00, -1.0690867e+00), (1.5398349e-01, -1.9544048e+00)]]> : tensor<3x2xcomplex<f32>>
    %out = call @program(%in0, %in1) : (tensor<2x3xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
    %want0 = stablehlo.constant dense<[[(-2.7004347e+00, -2.354297e+00), (-2.3433166e+00, -2.229627e-01)], [(2.411131e+00, -2.2363224e+00), (-1.5127928e+00, -3.2411518e+00)]]> : tensor<2x2xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%out, %want0) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<2x3xcomplex<f32>>, %arg1: tensor<3x2xcomplex<f32>>) -> (tensor<2x2xcomplex<f32>> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
    return %0 : tensor<2x2xcomplex<f32>>
  }
}
