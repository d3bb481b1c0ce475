module @batched_loop attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[1.9525401e-01, 8.6075747e-01, 4.110535e-01, 1.7953274e-01]> : tensor<4xf32>
    %in1 = stablehlo.constant dense<[1, 3, 0, 2]> : tensor<4xi32>
    %out:2 = call @program(%in0, %in1) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xi64>, tensor<4xf32>)
    %want0 = stablehlo.constant dense<[1, 3, 0, 2]> : tensor<4xi64>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<4xi64>, tensor<4xi64>) -> ()
    %want1 = stablehlo.constant dense<[3.9050803e-01, 6.8860598e+00, 4.110535e-01, 7.1813095e-01]> : tensor<4xf32>
    stablehlo.custom_call @check.expect_close(%out#1, %want1) {has_side_effect = true, max_ulp_difference = 2 : i64} : (tensor<4xf32>, tensor<4xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>) -> (tensor<4xi64> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4xi64>
    %1:3 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %0, %iterArg_1 = %arg0) : tensor<4xi32>, tensor<4xi64>, tensor<4xf32>
    cond {
      %2 = stablehlo.convert %iterArg_0 : (tensor<4xi64>) -> tensor<4xi32>
      %3 = stablehlo.compare LT, %2, %iterArg, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %c_2 = stablehlo.constant dense<false> : tensor<i1>
      %4 = stablehlo.reduce(%3 init: %c_2) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i64>
      %2 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<4xi64>
      %3 = stablehlo.add %iterArg_0, %2 : tensor<4xi64>
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %5 = stablehlo.multiply %iterArg_1, %4 : tensor<4xf32>
      %6 = stablehlo.convert %iterArg_0 : (tensor<4xi64>) -> tensor<4xi32>
      %7 = stablehlo.compare LT, %6, %iterArg, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xi1>) -> tensor<4xi1>
      %9 = stablehlo.select %8, %3, %iterArg_0 : tensor<4xi1>, tensor<4xi64>
      %10 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xi1>) -> tensor<4xi1>
      %11 = stablehlo.select %10, %5, %iterArg_1 : tensor<4xi1>, tensor<4xf32>
      stablehlo.return %iterArg, %9, %11 : tensor<4xi32>, tensor<4xi64>, tensor<4xf32>
    }
    return %1#1, %1#2 : tensor<4xi64>, tensor<4xf32>
  }
}
