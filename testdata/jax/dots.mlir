module @dots attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[[1.9525401e-01, 8.6075747e-01, 4.110535e-01, 1.7953274e-01], [-3.053808e-01, 5.8357644e-01, -2.4965115e-01, 1.5670921e+00], [1.8546511e+00, -4.6623394e-01, 1.1669002e+00, 1.1557968e-01]], [[2.7217823e-01, 1.7023865e+00, -1.7158557e+00, -1.6514828e+00], [-1.9191264e+00, 1.3304794e+00, 1.112627e+00, 1.4800485e+00], [1.9144734e+00, 1.1966343e+00, -1.5408255e-01, 1.1221167e+00]]]> : tensor<2x3x4xf32>
    %in1 = stablehlo.constant dense<[[[-3.3191198e-01, 8.8129795e-01, -1.9995425e+00, -7.9066974e-01, -1.4129764e+00], [-1.6306456e+00, -1.2549591e+00, -6.177571e-01, -4.129301e-01, 1.5526694e-01], [-3.2322195e-01, 7.40878e-01, -1.182191e+00, 1.5124698e+00, -1.8904496e+00], [6.8187004e-01, -3.307808e-01, 2.3475932e-01, -1.4384522e+00, -1.207594e+00]], [[1.2029783e+00, 1.8730463e+00, -7.4630326e-01, 7.6929045e-01, 1.5055566e+00], [1.5784266e+00, -1.6598232e+00, -1.8437809e+00, -1.3206784e+00, 1.51257e+00], [-1.6066127e+00, -3.155695e-01, 1.8315581e+00, 1.3266113e-01, 7.6750845e-01], [-7.3793745e-01, 7.460037e-01, 1.3385026e+00, -1.9268469e+00, 1.0005772e+00]]]> : tensor<2x4x5xf32>
    %in2 = stablehlo.constant dense<[-2.560204e-01, -1.8962951e+00, 1.9864991e-01, -2.5871044e-01]> : tensor<4xf32>
    %out:7 = call @program(%in0, %in1, %in2) : (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<4xf32>) -> (tensor<2x3x5xf32>, tensor<5x2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<3x5xf32>, tensor<4x4xf32>, tensor<3x5xf32>)
    %want0 = stablehlo.constant dense<[[[-1.478841e+00, -6.629839e-01, -1.3659544e+00, -1.4635734e-01, -1.1361208e+00], [2.9899898e-01, -1.7048211e+00, 9.131382e-01, -2.6312978e+00, -8.9835215e-01], [-1.53676e-01, 3.0459037e+00, -4.7727995e+00, 3.2475093e-01, -5.038508e+00]], [[6.989923e+00, -3.0063987e+00, -8.695159e+00, 9.156063e-01, 1.538879e-02], [-3.0883474e+00, -5.0499625e+00, 2.9980278e+00, -5.9377255e+00, 1.4579434e+00], [3.6113682e+00, 2.4854228e+00, -2.415364e+00, -2.2901707e+00, 5.6968465e+00]]]> : tensor<2x3x5xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#0, %want0) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> ()
    %want1 = stablehlo.constant dense<[[[-1.478841e+00, 2.9899898e-01, -1.53676e-01], [6.989923e+00, -3.0883474e+00, 3.6113682e+00]], [[-6.629839e-01, -1.7048211e+00, 3.0459037e+00], [-3.0063987e+00, -5.0499625e+00, 2.4854228e+00]], [[-1.3659544e+00, 9.131382e-01, -4.7727995e+00], [-8.695159e+00, 2.9980278e+00, -2.415364e+00]], [[-1.4635734e-01, -2.6312978e+00, 3.2475093e-01], [9.156063e-01, -5.9377255e+00, -2.2901707e+00]], [[-1.1361208e+00, -8.9835215e-01, -5.038508e+00], [1.538879e-02, 1.4579434e+00, 5.6968465e+00]]]> : tensor<5x2x3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#1, %want1) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<5x2x3xf32>, tensor<5x2x3xf32>) -> ()
    %want2 = stablehlo.constant dense<[[-1.6470305e+00, -1.4834657e+00, 6.111916e-01], [-3.211509e+00, -2.1935267e+00, -3.0802276e+00]]> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#2, %want2) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %want3 = stablehlo.constant dense<3.7678745e+00> : tensor<f32>
    stablehlo.custom_call @check.expect_almost_eq(%out#3, %want3) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<f32>, tensor<f32>) -> ()
    %want4 = stablehlo.constant dense<[[5.511082e+00, -3.6693828e+00, -1.0061113e+01, 7.6924896e-01, -1.1207318e+00], [-2.7893481e+00, -6.7547836e+00, 3.9111662e+00, -8.569023e+00, 5.595911e-01], [3.4576924e+00, 5.531327e+00, -7.1881638e+00, -1.9654198e+00, 6.583376e-01]]> : tensor<3x5xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#4, %want4) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<3x5xf32>, tensor<3x5xf32>) -> ()
    %want5 = stablehlo.constant dense<[[6.5546446e-02, 4.854902e-01, -5.085843e-02, 6.623515e-02], [4.854902e-01, 3.595935e+00, -3.7669885e-01, 4.9059135e-01], [-5.085843e-02, -3.7669885e-01, 3.9461788e-02, -5.139281e-02], [6.623515e-02, 4.9059135e-01, -5.139281e-02, 6.693109e-02]]> : tensor<4x4xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#5, %want5) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> ()
    %want6 = stablehlo.constant dense<[[-1.478841e+00, -6.629839e-01, -1.3659544e+00, -1.4635734e-01, -1.1361208e+00], [2.9899898e-01, -1.7048211e+00, 9.131382e-01, -2.6312978e+00, -8.9835215e-01], [-1.53676e-01, 3.0459037e+00, -4.7727995e+00, 3.2475093e-01, -5.038508e+00]]> : tensor<3x5xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#6, %want6) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<3x5xf32>, tensor<3x5xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x4x5xf32>, %arg2: tensor<4xf32>) -> (tensor<2x3x5xf32> {jax.result_info = "result[0]"}, tensor<5x2x3xf32> {jax.result_info = "result[1]"}, tensor<2x3xf32> {jax.result_info = "result[2]"}, tensor<f32> {jax.result_info = "result[3]"}, tensor<3x5xf32> {jax.result_info = "result[4]"}, tensor<4x4xf32> {jax.result_info = "result[5]"}, tensor<3x5xf32> {jax.result_info = "result[6]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = stablehlo.dot_general %arg1, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x4x5xf32>, tensor<2x3x4xf32>) -> tensor<2x5x3xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<2x5x3xf32>) -> tensor<5x2x3xf32>
    %3 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3xf32>
    %4 = stablehlo.dot_general %arg2, %arg2, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    %5 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0, 2] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<3x5xf32>
    %6 = stablehlo.broadcast_in_dim %arg2, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %7 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %8 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %10 = stablehlo.multiply %8, %9 : tensor<4x4xf32>
    %11 = stablehlo.slice %arg0 [0:1, 0:3, 0:4] : (tensor<2x3x4xf32>) -> tensor<1x3x4xf32>
    %12 = stablehlo.reshape %11 : (tensor<1x3x4xf32>) -> tensor<3x4xf32>
    %13 = stablehlo.slice %arg1 [0:1, 0:4, 0:5] : (tensor<2x4x5xf32>) -> tensor<1x4x5xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x4x5xf32>) -> tensor<4x5xf32>
    %15 = stablehlo.dot_general %12, %14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    return %0, %2, %3, %4, %5, %10, %15 : tensor<2x3x5xf32>, tensor<5x2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<3x5xf32>, tensor<4x4xf32>, tensor<3x5xf32>
  }
}
