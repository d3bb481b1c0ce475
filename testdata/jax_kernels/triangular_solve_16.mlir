// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[(3.1497757, 0.42143998), (0.46303317, -1.7210624), (-1.4509087, 0.75927925)], [(2.0267754, 2.9882476), (4.183529, -1.8932899), (0.74356276, 1.0196776)], [(-0.3665304, 0.37850198), (-0.091306664, -0.11441522), (3.5611663, 1.4070157)]]> : tensor<3x3xcomplex<f32>>
  %a1 = stablehlo.constant dense<[[(-1.2135963, -0.45675534), (0.16709499, 1.5891688)], [(1.5019547, -0.93184775), (-0.20209855, 0.8969313)], [(-0.42926303, -1.2866838), (0.117977224, 0.6875724)]]> : tensor<3x2xcomplex<f32>>
  %r0 = "stablehlo.triangular_solve"(%a0, %a1) <{left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> (tensor<3x2xcomplex<f32>>)
  %w0 = stablehlo.constant dense<[[(-8.403432, -3.350594), (3.9259956, 0.6308656)], [(1.6099763, -1.0984448), (-0.26999518, 0.9732096)], [(-0.42926303, -1.2866838), (0.117977224, 0.6875724)]]> : tensor<3x2xcomplex<f32>>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 7.221480e-04 : f64} : (tensor<3x2xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> ()
  return
}
