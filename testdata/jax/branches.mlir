module @branches attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<true> : tensor<i1>
    %in1 = stablehlo.constant dense<2> : tensor<i32>
    %in2 = stablehlo.constant dense<[1.9525401e-01, 8.6075747e-01, 4.110535e-01]> : tensor<3xf32>
    %out:3 = call @program(%in0, %in1, %in2) : (tensor<i1>, tensor<i32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
    %want0 = stablehlo.constant dense<[1.9401573e-01, 7.5833654e-01, 3.995753e-01]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_close(%out#0, %want0) {has_side_effect = true, max_ulp_difference = 4 : i64} : (tensor<3xf32>, tensor<3xf32>) -> ()
    %want1 = stablehlo.constant dense<[-1.9525401e-01, -8.6075747e-01, -4.110535e-01]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_close(%out#1, %want1) {has_side_effect = true, max_ulp_difference = 4 : i64} : (tensor<3xf32>, tensor<3xf32>) -> ()
    %want2 = stablehlo.constant dense<[-8.04746e-01, -1.3924253e-01, -5.8894646e-01]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_close(%out#2, %want2) {has_side_effect = true, max_ulp_difference = 4 : i64} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<3xf32>) -> (tensor<3xf32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}, tensor<3xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<i1>) -> tensor<i32>
    %1 = "stablehlo.case"(%0) ({
      %7 = stablehlo.cosine %arg2 : tensor<3xf32>
      stablehlo.return %7 : tensor<3xf32>
    }, {
      %7 = stablehlo.sine %arg2 : tensor<3xf32>
      stablehlo.return %7 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %2 = stablehlo.clamp %c, %arg1, %c_0 : tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %8 = stablehlo.add %arg2, %7 : tensor<3xf32>
      stablehlo.return %8 : tensor<3xf32>
    }, {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %8 = stablehlo.multiply %arg2, %7 : tensor<3xf32>
      stablehlo.return %8 : tensor<3xf32>
    }, {
      %7 = stablehlo.negate %arg2 : tensor<3xf32>
      stablehlo.return %7 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %c_1 = stablehlo.constant dense<9> : tensor<i32>
    %4 = stablehlo.add %arg1, %c_1 : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %5 = stablehlo.clamp %c_2, %4, %c_3 : tensor<i32>
    %6 = "stablehlo.case"(%5) ({
      stablehlo.return %arg2 : tensor<3xf32>
    }, {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %8 = stablehlo.subtract %arg2, %7 : tensor<3xf32>
      stablehlo.return %8 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    return %1, %3, %6 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}
