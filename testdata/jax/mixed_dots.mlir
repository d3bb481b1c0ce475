module @mixed_dots attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[3, 6, -9, -6], [-6, -2, 0, 9], [-5, -3, 3, -8]]> : tensor<3x4xi8>
    %in1 = stablehlo.constant dense<[[-4, 2], [3, -1], [0, 2], [-4, 6]]> : tensor<4x2xi8>
    %in2 = stablehlo.constant dense<[[1.953125e-01, 8.59375e-01, 4.1015625e-01, 1.796875e-01], [-3.046875e-01, 5.8203125e-01, -2.5e-01, 1.5703125e+00], [1.8515625e+00, -4.6679688e-01, 1.1640625e+00, 1.15722656e-01]]> : tensor<3x4xbf16>
    %in3 = stablehlo.constant dense<[[-3.3203125e-01, 8.828125e-01], [-2.0e+00, -7.890625e-01], [-1.4140625e+00, -1.6328125e+00], [-1.2578125e+00, -6.171875e-01]]> : tensor<4x2xbf16>
    %out:3 = call @program(%in0, %in1, %in2, %in3) : (tensor<3x4xi8>, tensor<4x2xi8>, tensor<3x4xbf16>, tensor<4x2xbf16>) -> (tensor<3x2xi32>, tensor<3x2xf32>, tensor<3x2xbf16>)
    %want0 = stablehlo.constant dense<[[30, -54], [-18, 44], [43, -49]]> : tensor<3x2xi32>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<3x2xi32>, tensor<3x2xi32>) -> ()
    %want1 = stablehlo.constant dense<[[-2.5895996e+00, -1.2862854e+00], [-2.6845398e+00, -1.2892151e+00], [-1.4727974e+00, 3.0796051e-02]]> : tensor<3x2xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#1, %want1) {has_side_effect = true, tolerance = 1.0e-02 : f64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> ()
    %want2 = stablehlo.constant dense<[[-2.59375e+00, -1.2890625e+00], [-2.6875e+00, -1.2890625e+00], [-1.4765625e+00, 3.0761719e-02]]> : tensor<3x2xbf16>
    stablehlo.custom_call @check.expect_almost_eq(%out#2, %want2) {has_side_effect = true, tolerance = 1.0e-02 : f64} : (tensor<3x2xbf16>, tensor<3x2xbf16>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<3x4xi8>, %arg1: tensor<4x2xi8>, %arg2: tensor<3x4xbf16>, %arg3: tensor<4x2xbf16>) -> (tensor<3x2xi32> {jax.result_info = "result[0]"}, tensor<3x2xf32> {jax.result_info = "result[1]"}, tensor<3x2xbf16> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xi8>, tensor<4x2xi8>) -> tensor<3x2xi32>
    %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xbf16>, tensor<4x2xbf16>) -> tensor<3x2xf32>
    %2 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xbf16>, tensor<4x2xbf16>) -> tensor<3x2xbf16>
    return %0, %1, %2 : tensor<3x2xi32>, tensor<3x2xf32>, tensor<3x2xbf16>
  }
}
