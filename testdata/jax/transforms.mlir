module @transforms attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<[[(1.9525401e-01, -3.3191198e-01), (8.6075747e-01, 8.8129795e-01), (4.110535e-01, -1.9995425e+00), (1.7953274e-01, -7.9066974e-01), (-3.053808e-01, -1.4129764e+00), (5.8357644e-01, -1.6306456e+00), (-2.4965115e-01, -1.2549591e+00), (1.5670921e+00, -6.177571e-01)], [(1.8546511e+00, -4.129301e-01), (-4.6623394e-01, 1.5526694e-01), (1.1669002e+00, -3.2322195e-01), (1.1557968e-01, 7.40878e-01), (2.7217823e-01, -1.182191e+00), (1.7023865e+00, 1.5124698e+00), (-1.7158557e+00, -1.8904496e+00), (-1.6514828e+00, 6.8187004e-01)]]> : tensor<2x8xcomplex<f32>>
    %in1 = stablehlo.constant dense<[[2.0319161e-01, 8.325913e-01, -8.36381e-01, 4.3310422e-02, 1.5717878e+00, 1.5851724e+00], [-1.4976587e+00, -1.1710285e+00, -1.7941312e+00, -2.3676063e-01, -1.8804952e+00, -1.726671e-01]]> : tensor<2x6xf32>
    %out:6 = call @program(%in0, %in1) : (tensor<2x8xcomplex<f32>>, tensor<2x6xf32>) -> (tensor<2x8xcomplex<f32>>, tensor<2x8xcomplex<f32>>, tensor<2x8xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<2x6xf32>, tensor<2x4xcomplex<f32>>)
    %want0 = stablehlo.constant dense<[[(3.2422342e+00, -7.157164e+00), (2.5871453e+00, 3.1039958e+00), (3.8754994e-01, 1.8119042e+00), (1.7220136e+00, 6.28445e-01), (-3.1396832e+00, -2.8416152e+00), (-3.0750422e+00, -2.263276e+00), (-9.306082e-01, 1.2073224e+00), (7.684227e-01, 2.855093e+00)], [(1.2781233e+00, -7.18308e-01), (-5.512097e-01, -2.8309627e+00), (2.9207737e+00, -2.153505e+00), (1.8802307e+00, 4.937373e+00), (1.8776244e+00, -6.8992777e+00), (6.8506107e+00, -1.3960271e+00), (2.4307964e+00, 3.3906062e+00), (-1.8497405e+00, 2.36666e+00)]]> : tensor<2x8xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%out#0, %want0) {has_side_effect = true, tolerance = 1.0e-04 : f64} : (tensor<2x8xcomplex<f32>>, tensor<2x8xcomplex<f32>>) -> ()
    %want1 = stablehlo.constant dense<[[(4.0527928e-01, -8.946455e-01), (9.605284e-02, 3.5688663e-01), (-1.1632603e-01, 1.509153e-01), (-3.8438028e-01, -2.829095e-01), (-3.924604e-01, -3.552019e-01), (2.152517e-01, 7.855563e-02), (4.8443742e-02, 2.2648802e-01), (3.2339317e-01, 3.8799948e-01)], [(1.597654e-01, -8.97885e-02), (-2.3121756e-01, 2.958325e-01), (3.0384955e-01, 4.2382577e-01), (8.5632634e-01, -1.7450339e-01), (2.3470305e-01, -8.624097e-01), (2.3502883e-01, 6.1717165e-01), (3.6509672e-01, -2.6918814e-01), (-6.890121e-02, -3.5387033e-01)]]> : tensor<2x8xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%out#1, %want1) {has_side_effect = true, tolerance = 1.0e-04 : f64} : (tensor<2x8xcomplex<f32>>, tensor<2x8xcomplex<f32>>) -> ()
    %want2 = stablehlo.constant dense<[[(4.5203576e+00, -7.875472e+00), (2.0359356e+00, 2.7303314e-01), (3.3083236e+00, -3.416009e-01), (3.6022444e+00, 5.5658183e+00), (-1.2620589e+00, -9.740892e+00), (3.7755685e+00, -3.6593032e+00), (1.5001881e+00, 4.5979285e+00), (-1.0813178e+00, 5.221753e+00)], [(1.964111e+00, -6.438856e+00), (3.138355e+00, 5.9349585e+00), (-2.5332239e+00, 3.9654093e+00), (-1.5821707e-01, -4.308928e+00), (-5.0173078e+00, 4.0576625e+00), (-9.925653e+00, -8.67249e-01), (-3.3614047e+00, -2.1832838e+00), (2.618163e+00, 4.8843288e-01)]]> : tensor<2x8xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%out#2, %want2) {has_side_effect = true, tolerance = 1.0e-04 : f64} : (tensor<2x8xcomplex<f32>>, tensor<2x8xcomplex<f32>>) -> ()
    %want3 = stablehlo.constant dense<[[(3.3996725e+00, 0.0e+00), (1.0010595e+00, 2.7372897e+00), (-1.3300831e+00, -1.4337809e+00), (-1.5224757e+00, 0.0e+00)], [(-6.7527413e+00, 0.0e+00), (-9.54327e-02, 7.898128e-01), (7.747416e-01, 9.393997e-01), (-3.5918288e+00, 0.0e+00)]]> : tensor<2x4xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%out#3, %want3) {has_side_effect = true, tolerance = 1.0e-04 : f64} : (tensor<2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>) -> ()
    %want4 = stablehlo.constant dense<[[2.0319161e-01, 8.3259124e-01, -8.3638096e-01, 4.3310486e-02, 1.5717877e+00, 1.5851724e+00], [-1.4976587e+00, -1.1710285e+00, -1.7941312e+00, -2.3676066e-01, -1.8804953e+00, -1.7266715e-01]]> : tensor<2x6xf32>
    stablehlo.custom_call @check.expect_almost_eq(%out#4, %want4) {has_side_effect = true, tolerance = 1.0e-04 : f64} : (tensor<2x6xf32>, tensor<2x6xf32>) -> ()
    %want5 = stablehlo.constant dense<[[(-3.3530688e+00, 0.0e+00), (9.0562683e-01, 3.5271025e+00), (-5.5534154e-01, -4.943812e-01), (-5.1143045e+00, 0.0e+00)], [(1.0152414e+01, 0.0e+00), (1.0964923e+00, 1.9474769e+00), (-2.1048248e+00, -2.3731806e+00), (2.069353e+00, 0.0e+00)]]> : tensor<2x4xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%out#5, %want5) {has_side_effect = true, tolerance = 1.0e-04 : f64} : (tensor<2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>) -> ()
    return
  }
  func.func private @program(%arg0: tensor<2x8xcomplex<f32>>, %arg1: tensor<2x6xf32>) -> (tensor<2x8xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<2x8xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<2x8xcomplex<f32>> {jax.result_info = "result[2]"}, tensor<2x4xcomplex<f32>> {jax.result_info = "result[3]"}, tensor<2x6xf32> {jax.result_info = "result[4]"}, tensor<2x4xcomplex<f32>> {jax.result_info = "result[5]"}) {
    %0 = call @fft(%arg0) : (tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
    %1 = call @fft_0(%arg0) : (tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
    %2 = call @fft_1(%arg0) : (tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
    %3 = call @fft_2(%arg1) : (tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>>
    %4 = call @fft_2(%arg1) : (tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>>
    %5 = call @fft_3(%4) : (tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32>
    %6 = call @fft_4(%arg1) : (tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>>
    return %0, %1, %2, %3, %5, %6 : tensor<2x8xcomplex<f32>>, tensor<2x8xcomplex<f32>>, tensor<2x8xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<2x6xf32>, tensor<2x4xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [8] : (tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
    return %0 : tensor<2x8xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = IFFT, length = [8] : (tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
    return %0 : tensor<2x8xcomplex<f32>>
  }
  func.func private @fft_1(%arg0: tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [2, 8] : (tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
    return %0 : tensor<2x8xcomplex<f32>>
  }
  func.func private @fft_2(%arg0: tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [6] : (tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>>
    return %0 : tensor<2x4xcomplex<f32>>
  }
  func.func private @fft_3(%arg0: tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [6] : (tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32>
    return %0 : tensor<2x6xf32>
  }
  func.func private @fft_4(%arg0: tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [2, 6] : (tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>>
    return %0 : tensor<2x4xcomplex<f32>>
  }
}
