// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[2.0928972, 0.28233734, -0.10001541, 1.0282824, 2.6552935], [0.8429244, 2.9652698, -0.17204396, -0.8566941, -0.9066728], [-1.0034155, -0.39533517, 2.5728564, 0.7437307, -0.398999], [-0.19744971, -1.218274, 1.6445756, 3.5069864, 1.7888732], [0.7968858, 1.489636, -0.24848753, 0.7171608, 5.7055063]]> : tensor<5x5xf32>
  %a1 = stablehlo.constant dense<[[-1.2235345, 1.1762689, 1.6979442, 0.4211276, 0.7652124], [1.2796345, -0.6702952, 0.4174117, -0.88800496, -0.69124705]]> : tensor<2x5xf32>
  %r0 = "stablehlo.triangular_solve"(%a0, %a1) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<5x5xf32>, tensor<2x5xf32>) -> (tensor<2x5xf32>)
  %w0 = stablehlo.constant dense<[[-0.5846128, 0.45234567, 0.6674672, 0.260446, 0.44309375], [0.6114178, -0.2842646, 0.16699606, -0.5373397, -0.27072302]]> : tensor<2x5xf32>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 9.556131e-05 : f64} : (tensor<2x5xf32>, tensor<2x5xf32>) -> ()
  return
}
