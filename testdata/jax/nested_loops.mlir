module @nested_loops attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[1.9525401e-01, 8.6075747e-01], [4.110535e-01, 1.7953274e-01]]> : tensor<2x2xf32>
    %out = call @program(%in0) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %want0 = stablehlo.constant dense<[[1.798377e+00, 4.6628532e+00], [2.0141766e+00, 3.9816284e+00]]> : tensor<2x2xf32>
    stablehlo.custom_call @check.expect_close(%out, %want0) {has_side_effect = true, max_ulp_difference = 2 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<2x2xf32>) -> (tensor<2x2xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0:4 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %c_0, %iterArg_2 = %c, %iterArg_3 = %arg0) : tensor<2x2xf32>, tensor<i64>, tensor<i64>, tensor<2x2xf32>
    cond {
      %c_4 = stablehlo.constant dense<3> : tensor<i64>
      %1 = stablehlo.compare LT, %iterArg_1, %c_4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_3) : (tensor<2x2xf32>, tensor<i64>, tensor<2x2xf32>) -> (tensor<i64>, tensor<2x2xf32>)
      %c_4 = stablehlo.constant dense<1> : tensor<i64>
      %2 = stablehlo.add %iterArg_1, %c_4 : tensor<i64>
      stablehlo.return %iterArg, %2, %1#0, %1#1 : tensor<2x2xf32>, tensor<i64>, tensor<i64>, tensor<2x2xf32>
    }
    return %0#3 : tensor<2x2xf32>
  }
  func.func private @closed_call(%arg0: tensor<2x2xf32>, %arg1: tensor<i64>, %arg2: tensor<2x2xf32>) -> (tensor<i64>, tensor<2x2xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg1, %c : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1:4 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %c_0, %iterArg_2 = %arg1, %iterArg_3 = %arg2) : tensor<2x2xf32>, tensor<i64>, tensor<i64>, tensor<2x2xf32>
    cond {
      %2 = stablehlo.compare LT, %iterArg_1, %iterArg_2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<1> : tensor<i64>
      %2 = stablehlo.add %iterArg_1, %c_4 : tensor<i64>
      %c_5 = stablehlo.constant dense<2> : tensor<i64>
      %3 = func.call @remainder(%iterArg_1, %c_5) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %4 = stablehlo.convert %3 : (tensor<i64>) -> tensor<i32>
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %5 = stablehlo.compare LT, %4, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_7 = stablehlo.constant dense<2> : tensor<i32>
      %6 = stablehlo.add %4, %c_7 : tensor<i32>
      %7 = stablehlo.select %5, %6, %4 : tensor<i1>, tensor<i32>
      %c_8 = stablehlo.constant dense<0> : tensor<i32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.compare LT, %c_8, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_10 = stablehlo.constant dense<0> : tensor<i32>
      %c_11 = stablehlo.constant dense<2> : tensor<i32>
      %9 = stablehlo.add %c_10, %c_11 : tensor<i32>
      %c_12 = stablehlo.constant dense<0> : tensor<i32>
      %10 = stablehlo.select %8, %9, %c_12 : tensor<i1>, tensor<i32>
      %11 = stablehlo.dynamic_slice %iterArg, %7, %10, sizes = [1, 2] : (tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
      %12 = stablehlo.reshape %11 : (tensor<1x2xf32>) -> tensor<2xf32>
      %13 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<1x2xf32>) -> tensor<2x2xf32>
      %15 = stablehlo.add %iterArg_3, %14 : tensor<2x2xf32>
      stablehlo.return %iterArg, %2, %iterArg_2, %15 : tensor<2x2xf32>, tensor<i64>, tensor<i64>, tensor<2x2xf32>
    }
    return %0, %1#3 : tensor<i64>, tensor<2x2xf32>
  }
  func.func private @remainder(%arg0: tensor<i64>, %arg1: tensor<i64>) -> tensor<i64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.compare EQ, %arg1, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %1 = call @_where(%0, %c_0, %arg1) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %2 = stablehlo.remainder %arg0, %1 : tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %3 = stablehlo.compare NE, %2, %c_1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %4 = stablehlo.compare LT, %2, %c_2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.compare LT, %1, %c_3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %7 = stablehlo.and %6, %3 : tensor<i1>
    %8 = stablehlo.add %2, %1 : tensor<i64>
    %9 = stablehlo.select %7, %8, %2 : tensor<i1>, tensor<i64>
    return %9 : tensor<i64>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<i64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i64>
    return %0 : tensor<i64>
  }
}
