module @composites attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[1.9525401e-01, 8.6075747e-01, 4.110535e-01]> : tensor<3xf32>
    %out = call @program(%in0) : (tensor<3xf32>) -> tensor<3xf32>
    %want0 = stablehlo.constant dense<[3.9050803e-01, 1.7215149e+00, 8.22107e-01]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_close(%out, %want0) {has_side_effect = true, max_ulp_difference = 4 : i64} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<3xf32>) -> (tensor<3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.composite "tfjit.double" %arg0 {composite_attributes = {factor = 2.000000e+00 : f32}, decomposition = @tfjit.double} : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @tfjit.double(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<3xf32>
    return %1 : tensor<3xf32>
  }
}
