// stage: roundtrip
func.func @main(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<i32>) {
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %one = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %shape = stablehlo.concatenate %one, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.dynamic_broadcast_in_dim %zero, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x3xf32>
  %sum = stablehlo.add %x, %zeros : tensor<?x3xf32>
  return %sum, %rows : tensor<?x3xf32>, tensor<i32>
}
// ==>
// module {
//   func.func @main(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<i32>) {
//     %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
//     %one = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
//     %three = stablehlo.constant dense<3> : tensor<1xi32>
//     %shape = stablehlo.concatenate %one, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
//     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//     %zeros = stablehlo.dynamic_broadcast_in_dim %zero, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x3xf32>
//     %sum = stablehlo.add %x, %zeros : tensor<?x3xf32>
//     return %sum, %rows : tensor<?x3xf32>, tensor<i32>
//   }
// }
// -----
// stage: roundtrip
module @calls attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%x: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<2xf32> {jax.result_info = ""}) {
    %y:2 = call @both(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %z = stablehlo.custom_call @Sharding(%y#1) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2xf32>) -> tensor<2xf32>
    return %z : tensor<2xf32>
  }
  func.func private @both(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    return %x, %x : tensor<2xf32>, tensor<2xf32>
  }
}
// ==>
// module @calls attributes {mhlo.num_partitions = 1 : i32} {
//   func.func @main(%x: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<2xf32> {jax.result_info = ""}) {
//     %y:2 = call @both(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
//     %z = stablehlo.custom_call @Sharding(%y#1) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2xf32>) -> tensor<2xf32>
//     return %z : tensor<2xf32>
//   }
//   func.func private @both(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
//     return %x, %x : tensor<2xf32>, tensor<2xf32>
//   }
// }
