module @bfloat16 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[1.953125e-01, 8.59375e-01, 4.1015625e-01, 1.796875e-01, -3.046875e-01, 5.8203125e-01, -2.5e-01, 1.5703125e+00]> : tensor<8xbf16>
    %in1 = stablehlo.constant dense<[-3.3203125e-01, 8.828125e-01, -2.0e+00, -7.890625e-01, -1.4140625e+00, -1.6328125e+00, -1.2578125e+00, -6.171875e-01]> : tensor<8xbf16>
    %out:6 = call @program(%in0, %in1) : (tensor<8xbf16>, tensor<8xbf16>) -> (tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<bf16>)
    %want0 = stablehlo.constant dense<[-1.3671875e-01, 1.7421875e+00, -1.59375e+00, -6.09375e-01, -1.71875e+00, -1.046875e+00, -1.5078125e+00, 9.53125e-01]> : tensor<8xbf16>
    stablehlo.custom_call @check.expect_close(%out#0, %want0) {has_side_effect = true, max_ulp_difference = 1 : i64} : (tensor<8xbf16>, tensor<8xbf16>) -> ()
    %want1 = stablehlo.constant dense<[-6.4941406e-02, 7.578125e-01, -8.203125e-01, -1.4160156e-01, 4.3164062e-01, -9.4921875e-01, 3.1445312e-01, -9.6875e-01]> : tensor<8xbf16>
    stablehlo.custom_call @check.expect_close(%out#1, %want1) {has_side_effect = true, max_ulp_difference = 1 : i64} : (tensor<8xbf16>, tensor<8xbf16>) -> ()
    %want2 = stablehlo.constant dense<[7.324219e-02, 2.2167969e-01, 4.1015625e-01, 8.105469e-02, -1.9238281e-01, 4.2578125e-01, -1.4355469e-01, 6.6015625e-01]> : tensor<8xbf16>
    stablehlo.custom_call @check.expect_close(%out#2, %want2) {has_side_effect = true, max_ulp_difference = 1 : i64} : (tensor<8xbf16>, tensor<8xbf16>) -> ()
    %want3 = stablehlo.constant dense<[1.9238281e-01, 6.953125e-01, 3.8867188e-01, 1.7773438e-01, -2.9492188e-01, 5.234375e-01, -2.4511719e-01, 9.1796875e-01]> : tensor<8xbf16>
    stablehlo.custom_call @check.expect_close(%out#3, %want3) {has_side_effect = true, max_ulp_difference = 1 : i64} : (tensor<8xbf16>, tensor<8xbf16>) -> ()
    %want4 = stablehlo.constant dense<[1.953125e-01, 8.828125e-01, 4.1015625e-01, 1.796875e-01, -3.046875e-01, 5.8203125e-01, -2.5e-01, 1.5703125e+00]> : tensor<8xbf16>
    stablehlo.custom_call @check.expect_close(%out#4, %want4) {has_side_effect = true, max_ulp_difference = 1 : i64} : (tensor<8xbf16>, tensor<8xbf16>) -> ()
    %want5 = stablehlo.constant dense<3.25e+00> : tensor<bf16>
    stablehlo.custom_call @check.expect_close(%out#5, %want5) {has_side_effect = true, max_ulp_difference = 1 : i64} : (tensor<bf16>, tensor<bf16>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<8xbf16>, %arg1: tensor<8xbf16>) -> (tensor<8xbf16> {jax.result_info = "result[0]"}, tensor<8xbf16> {jax.result_info = "result[1]"}, tensor<8xbf16> {jax.result_info = "result[2]"}, tensor<8xbf16> {jax.result_info = "result[3]"}, tensor<8xbf16> {jax.result_info = "result[4]"}, tensor<bf16> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<8xbf16>
    %1 = stablehlo.multiply %arg0, %arg1 : tensor<8xbf16>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<8xbf16>
    %3 = stablehlo.add %arg1, %2 : tensor<8xbf16>
    %4 = stablehlo.divide %arg0, %3 : tensor<8xbf16>
    %5 = stablehlo.tanh %arg0 : tensor<8xbf16>
    %6 = stablehlo.maximum %arg0, %arg1 : tensor<8xbf16>
    %7 = stablehlo.convert %arg0 : (tensor<8xbf16>) -> tensor<8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %9 = stablehlo.convert %8 : (tensor<f32>) -> tensor<bf16>
    return %0, %1, %4, %5, %6, %9 : tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<bf16>
  }
}
