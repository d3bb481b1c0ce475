module @scans attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[1.9525401e-01, 8.6075747e-01, 4.110535e-01], [1.7953274e-01, -3.053808e-01, 5.8357644e-01], [-2.4965115e-01, 1.5670921e+00, 1.8546511e+00], [-4.6623394e-01, 1.1669002e+00, 1.1557968e-01], [2.7217823e-01, 1.7023865e+00, -1.7158557e+00]]> : tensor<5x3xf32>
    %in1 = stablehlo.constant dense<[-3.3191198e-01, 8.8129795e-01, -1.9995425e+00]> : tensor<3xf32>
    %out:3 = call @program(%in0, %in1) : (tensor<5x3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<5xf32>, tensor<5x3xf32>)
    %want0 = stablehlo.constant dense<[-3.0258328e-01, 9.90549e-01, -7.368373e-01]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#0, %want0) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<3xf32>, tensor<3xf32>) -> ()
    %want1 = stablehlo.constant dense<[-1.1526638e-01, 2.8102732e-01, 1.6794782e+00, 1.1604297e+00, -4.8871577e-02]> : tensor<5xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#1, %want1) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<5xf32>, tensor<5xf32>) -> ()
    %want2 = stablehlo.constant dense<[[1.9525401e-01, 8.6075747e-01, 4.110535e-01], [3.5054486e-02, -2.628588e-01, 2.3988114e-01], [-8.751392e-03, -4.1192394e-01, 4.4489583e-01], [4.0801964e-03, -4.8067412e-01, 5.142092e-02], [1.1105406e-03, -8.1829315e-01, -8.823088e-02]]> : tensor<5x3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#2, %want2) {has_side_effect = true, tolerance = 1.0e-05 : f64} : (tensor<5x3xf32>, tensor<5x3xf32>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<5x3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32> {jax.result_info = "result[0][0]"}, tensor<5xf32> {jax.result_info = "result[0][1]"}, tensor<5x3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:4 = stablehlo.while(%iterArg = %arg0, %iterArg_4 = %c, %iterArg_5 = %arg1, %iterArg_6 = %0) : tensor<5x3xf32>, tensor<i64>, tensor<3xf32>, tensor<5xf32>
    cond {
      %c_7 = stablehlo.constant dense<5> : tensor<i64>
      %23 = stablehlo.compare LT, %iterArg_4, %c_7, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %23 : tensor<i1>
    } do {
      %23 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_4) : (tensor<5x3xf32>, tensor<i64>) -> tensor<3xf32>
      %24:2 = func.call @closed_call(%iterArg_5, %23) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>)
      %25 = func.call @dynamic_update_index_in_dim(%iterArg_6, %24#1, %iterArg_4) : (tensor<5xf32>, tensor<f32>, tensor<i64>) -> tensor<5xf32>
      %c_7 = stablehlo.constant dense<1> : tensor<i64>
      %26 = stablehlo.add %iterArg_4, %c_7 : tensor<i64>
      stablehlo.return %iterArg, %26, %24#0, %25 : tensor<5x3xf32>, tensor<i64>, tensor<3xf32>, tensor<5xf32>
    }
    %2 = stablehlo.slice %arg0 [0:4:2, 0:3] : (tensor<5x3xf32>) -> tensor<2x3xf32>
    %3 = stablehlo.slice %arg0 [1:5:2, 0:3] : (tensor<5x3xf32>) -> tensor<2x3xf32>
    %4 = stablehlo.multiply %2, %3 : tensor<2x3xf32>
    %5 = stablehlo.slice %4 [0:1:2, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
    %6 = stablehlo.slice %4 [1:2:2, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<1x3xf32>
    %8 = stablehlo.slice %7 [0:0, 0:3] : (tensor<1x3xf32>) -> tensor<0x3xf32>
    %9 = stablehlo.slice %4 [2:2:2, 0:3] : (tensor<2x3xf32>) -> tensor<0x3xf32>
    %10 = stablehlo.multiply %8, %9 : tensor<0x3xf32>
    %11 = stablehlo.slice %4 [0:1, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
    %12 = stablehlo.concatenate %11, %10, dim = 0 : (tensor<1x3xf32>, tensor<0x3xf32>) -> tensor<1x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.pad %12, %cst_0, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<1x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.pad %7, %cst_1, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<1x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %15 = stablehlo.add %13, %14 : tensor<2x3xf32>
    %16 = stablehlo.slice %arg0 [2:5:2, 0:3] : (tensor<5x3xf32>) -> tensor<2x3xf32>
    %17 = stablehlo.multiply %15, %16 : tensor<2x3xf32>
    %18 = stablehlo.slice %arg0 [0:1, 0:3] : (tensor<5x3xf32>) -> tensor<1x3xf32>
    %19 = stablehlo.concatenate %18, %17, dim = 0 : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.pad %19, %cst_2, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<3x3xf32>, tensor<f32>) -> tensor<5x3xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.pad %15, %cst_3, low = [1, 0], high = [1, 0], interior = [1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x3xf32>
    %22 = stablehlo.add %20, %21 : tensor<5x3xf32>
    return %1#2, %1#3, %22 : tensor<3xf32>, tensor<5xf32>, tensor<5x3xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<5x3xf32>, %arg1: tensor<i64>) -> tensor<3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 3] : (tensor<5x3xf32>, tensor<i64>, tensor<i64>) -> tensor<1x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x3xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
  func.func private @closed_call(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<3xf32>
    %1 = stablehlo.tanh %0 : tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %1, %2 : tensor<3xf32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<5xf32>, %arg1: tensor<f32>, %arg2: tensor<i64>) -> tensor<5xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<5xf32>, tensor<1xf32>, tensor<i64>) -> tensor<5xf32>
    return %1 : tensor<5xf32>
  }
}
