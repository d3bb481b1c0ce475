module @random_bits attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xui32>
    %out:2 = call @program(%in0) : (tensor<4xui32>) -> (tensor<4xui32>, tensor<7xui32>)
    %want0 = stablehlo.constant dense<[1, 2, 7, 4]> : tensor<4xui32>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<4xui32>, tensor<4xui32>) -> ()
    %want1 = stablehlo.constant dense<[1576285164, 2249660814, 740599976, 2425682526, 2436392515, 1497962777, 1335360347]> : tensor<7xui32>
    stablehlo.custom_call @check.expect_eq(%out#1, %want1) {has_side_effect = true} : (tensor<7xui32>, tensor<7xui32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<4xui32>) -> (tensor<4xui32> {jax.result_info = "result[0]"}, tensor<7xui32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<4xui32>) -> tensor<2x2xui32>
    %1 = stablehlo.bitcast_convert %0 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state, %output = stablehlo.rng_bit_generator %1, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xui32>)
    %2 = stablehlo.bitcast_convert %output_state : (tensor<2xui64>) -> tensor<2x2xui32>
    %3 = stablehlo.reshape %2 : (tensor<2x2xui32>) -> tensor<4xui32>
    return %3, %output : tensor<4xui32>, tensor<7xui32>
  }
}
