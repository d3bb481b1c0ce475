module @top_ks attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[1.9525401e-01, 8.6075747e-01, 4.110535e-01, 1.7953274e-01, -3.053808e-01, 5.8357644e-01, -2.4965115e-01], [1.5670921e+00, 1.8546511e+00, -4.6623394e-01, 1.1669002e+00, 1.1557968e-01, 2.7217823e-01, 1.7023865e+00], [-1.7158557e+00, -1.6514828e+00, -1.9191264e+00, 1.3304794e+00, 1.112627e+00, 1.4800485e+00, 1.9144734e+00]]> : tensor<3x7xf32>
    %in1 = stablehlo.constant dense<[0, 3, 1, 0, 3, 3, 3]> : tensor<7xi32>
    %out:4 = call @program(%in0, %in1) : (tensor<3x7xf32>, tensor<7xi32>) -> (tensor<3x3xf32>, tensor<3x3xi32>, tensor<4xi32>, tensor<4xi32>)
    %want0 = stablehlo.constant dense<[[8.6075747e-01, 5.8357644e-01, 4.110535e-01], [1.8546511e+00, 1.7023865e+00, 1.5670921e+00], [1.9144734e+00, 1.4800485e+00, 1.3304794e+00]]> : tensor<3x3xf32>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<3x3xf32>, tensor<3x3xf32>) -> ()
    %want1 = stablehlo.constant dense<[[1, 5, 2], [1, 6, 0], [6, 5, 3]]> : tensor<3x3xi32>
    stablehlo.custom_call @check.expect_eq(%out#1, %want1) {has_side_effect = true} : (tensor<3x3xi32>, tensor<3x3xi32>) -> ()
    %want2 = stablehlo.constant dense<[3, 3, 3, 3]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%out#2, %want2) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    %want3 = stablehlo.constant dense<[1, 4, 5, 6]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%out#3, %want3) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<3x7xf32>, %arg1: tensor<7xi32>) -> (tensor<3x3xf32> {jax.result_info = "result[0]"}, tensor<3x3xi32> {jax.result_info = "result[1]"}, tensor<4xi32> {jax.result_info = "result[2]"}, tensor<4xi32> {jax.result_info = "result[3]"}) {
    %values, %indices = chlo.top_k(%arg0, k = 3) : tensor<3x7xf32> -> (tensor<3x3xf32>, tensor<3x3xi32>)
    %values_0, %indices_1 = chlo.top_k(%arg1, k = 4) : tensor<7xi32> -> (tensor<4xi32>, tensor<4xi32>)
    return %values, %indices, %values_0, %indices_1 : tensor<3x3xf32>, tensor<3x3xi32>, tensor<4xi32>, tensor<4xi32>
  }
}
