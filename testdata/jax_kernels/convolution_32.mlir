// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[[(0.0, 1.0), (3.0, -1.0), (1.0, -2.0), (-2.0, -2.0), (-2.0, -2.0)]], [[(0.0, -2.0), (2.0, 0.0), (1.0, 0.0), (-3.0, -2.0), (-1.0, 2.0)]], [[(-2.0, 1.0), (2.0, -2.0), (1.0, 2.0), (2.0, 0.0), (3.0, -3.0)]]]]> : tensor<1x3x1x5xcomplex<f32>>
  %a1 = stablehlo.constant dense<[[[[(-1.0, -1.0), (1.0, -2.0), (-3.0, 1.0)]], [[(1.0, 0.0), (-3.0, -1.0), (1.0, -3.0)]], [[(0.0, -3.0), (2.0, 2.0), (2.0, -2.0)]]], [[[(1.0, 2.0), (0.0, -3.0), (-2.0, -3.0)]], [[(2.0, -3.0), (-2.0, 2.0), (1.0, -1.0)]], [[(1.0, -1.0), (1.0, 2.0), (2.0, -1.0)]]]]> : tensor<2x3x1x3xcomplex<f32>>
  %r0 = "stablehlo.convolution"(%a0, %a1) <{window_strides = array<i64: 3, 3>, padding = dense<[[2, -1], [-1, 0]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 2>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[f, 0, b, 1]x[o, 0, i, 1]->[f, 0, b, 1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x3x1x5xcomplex<f32>>, tensor<2x3x1x3xcomplex<f32>>) -> (tensor<2x1x1x2xcomplex<f32>>)
  %w0 = stablehlo.constant dense<[[[[(8.0, 4.0), (-14.0, -3.0)]]], [[[(5.0, 5.0), (-7.0, -5.0)]]]]> : tensor<2x1x1x2xcomplex<f32>>
  stablehlo.custom_call @check.expect_almost_eq(%r0, %w0) {has_side_effect = true, tolerance = 0.000000e+00 : f64} : (tensor<2x1x1x2xcomplex<f32>>, tensor<2x1x1x2xcomplex<f32>>) -> ()
  return
}
