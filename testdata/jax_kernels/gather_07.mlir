// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[(-60.0, 82.0), (90.0, -78.0), (-94.0, 46.0), (-25.0, -18.0)], [(-87.0, -87.0), (76.0, 61.0), (31.0, 71.0), (-16.0, -97.0)], [(59.0, -79.0), (-25.0, -87.0), (-7.0, 92.0), (-28.0, 86.0)]], [[(52.0, 68.0), (-88.0, 37.0), (10.0, -82.0), (-45.0, -48.0)], [(96.0, 3.0), (-54.0, -4.0), (-20.0, -79.0), (-88.0, -50.0)], [(0.0, 40.0), (8.0, 79.0), (51.0, -79.0), (-12.0, 90.0)]], [[(-50.0, -37.0), (-95.0, -86.0), (83.0, 83.0), (-69.0, 5.0)], [(55.0, 33.0), (84.0, -64.0), (-35.0, 82.0), (-74.0, -19.0)], [(39.0, -26.0), (-25.0, 48.0), (-93.0, 51.0), (91.0, 43.0)]]]> : tensor<3x3x4xcomplex<f64>>
  %a1 = stablehlo.constant dense<[[[7, 6, 4], [1, -2, 5]], [[-1, 0, 6], [3, 0, 2]], [[3, -2, 0], [5, 3, 6]]]> : tensor<3x2x3xi32>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 1>, indices_are_sorted = false}> : (tensor<3x3x4xcomplex<f64>>, tensor<3x2x3xi32>) -> (tensor<3x3x1xcomplex<f64>>)
  %w0 = stablehlo.constant dense<[[[(-25.0, -87.0)], [(59.0, -79.0)], [(-28.0, 86.0)]], [[(-45.0, -48.0)], [(52.0, 68.0)], [(51.0, -79.0)]], [[(91.0, 43.0)], [(-69.0, 5.0)], [(-69.0, 5.0)]]]> : tensor<3x3x1xcomplex<f64>>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3x3x1xcomplex<f64>>, tensor<3x3x1xcomplex<f64>>) -> ()
  return
}
