// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[(8.0, -54.0), (-12.0, -87.0)]> : tensor<2xcomplex<f64>>
  %a1 = stablehlo.constant dense<[[4, 7, 5]]> : tensor<1x3xi64>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1>, indices_are_sorted = false}> : (tensor<2xcomplex<f64>>, tensor<1x3xi64>) -> (tensor<3x1xcomplex<f64>>)
  %w0 = stablehlo.constant dense<(-12.0, -87.0)> : tensor<3x1xcomplex<f64>>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3x1xcomplex<f64>>, tensor<3x1xcomplex<f64>>) -> ()
  return
}
