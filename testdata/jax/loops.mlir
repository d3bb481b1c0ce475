module @loops attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[1.9525401e-01, 8.6075747e-01, 4.110535e-01]> : tensor<3xf32>
    %in1 = stablehlo.constant dense<4> : tensor<i32>
    %out:3 = call @program(%in0, %in1) : (tensor<3xf32>, tensor<i32>) -> (tensor<i64>, tensor<3xf32>, tensor<3xf32>)
    %want0 = stablehlo.constant dense<4> : tensor<i64>
    stablehlo.custom_call @check.expect_eq(%out#0, %want0) {has_side_effect = true} : (tensor<i64>, tensor<i64>) -> ()
    %want1 = stablehlo.constant dense<[3.7830466e-01, 1.6677176e+00, 7.9641616e-01]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_close(%out#1, %want1) {has_side_effect = true, max_ulp_difference = 2 : i64} : (tensor<3xf32>, tensor<3xf32>) -> ()
    %want2 = stablehlo.constant dense<[7.8101605e-01, 3.4430299e+00, 1.644214e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_close(%out#2, %want2) {has_side_effect = true, max_ulp_difference = 2 : i64} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<3xf32>, %arg1: tensor<i32>) -> (tensor<i64> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}, tensor<3xf32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0:4 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %arg0, %iterArg_3 = %c, %iterArg_4 = %arg0) : tensor<i32>, tensor<3xf32>, tensor<i64>, tensor<3xf32>
    cond {
      %2 = stablehlo.convert %iterArg_3 : (tensor<i64>) -> tensor<i32>
      %3 = stablehlo.compare LT, %2, %iterArg, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_5 = stablehlo.constant dense<1> : tensor<i64>
      %2 = stablehlo.add %iterArg_3, %c_5 : tensor<i64>
      %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %4 = stablehlo.multiply %iterArg_4, %3 : tensor<3xf32>
      %5 = stablehlo.add %4, %iterArg_2 : tensor<3xf32>
      stablehlo.return %iterArg, %iterArg_2, %2, %5 : tensor<i32>, tensor<3xf32>, tensor<i64>, tensor<3xf32>
    }
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %1:4 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c_1, %iterArg_3 = %c_0, %iterArg_4 = %arg0) : tensor<3xf32>, tensor<i64>, tensor<i64>, tensor<3xf32>
    cond {
      %c_5 = stablehlo.constant dense<3> : tensor<i64>
      %2 = stablehlo.compare LT, %iterArg_2, %c_5, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:2 = func.call @closed_call(%iterArg, %iterArg_3, %iterArg_4) : (tensor<3xf32>, tensor<i64>, tensor<3xf32>) -> (tensor<i64>, tensor<3xf32>)
      %c_5 = stablehlo.constant dense<1> : tensor<i64>
      %3 = stablehlo.add %iterArg_2, %c_5 : tensor<i64>
      stablehlo.return %iterArg, %3, %2#0, %2#1 : tensor<3xf32>, tensor<i64>, tensor<i64>, tensor<3xf32>
    }
    return %0#2, %0#3, %1#3 : tensor<i64>, tensor<3xf32>, tensor<3xf32>
  }
  func.func private @closed_call(%arg0: tensor<3xf32>, %arg1: tensor<i64>, %arg2: tensor<3xf32>) -> (tensor<i64>, tensor<3xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg1, %c : tensor<i64>
    %1 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.multiply %2, %arg0 : tensor<3xf32>
    %4 = stablehlo.add %arg2, %3 : tensor<3xf32>
    return %0, %4 : tensor<i64>, tensor<3xf32>
  }
}
