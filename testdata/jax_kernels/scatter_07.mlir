// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[2.0, -1.0, -2.0, -2.0, -1.0], [2.0, 3.0, -2.0, -3.0, 0.0], [1.0, 3.0, -2.0, 1.0, -4.0], [2.0, 2.0, 3.0, 2.0, 0.0]], [[0.0, -4.0, 0.0, -3.0, -1.0], [2.0, 2.0, -1.0, -4.0, -3.0], [-4.0, 1.0, -4.0, -4.0, -4.0], [-2.0, 0.0, 0.0, -1.0, 4.0]]]> : tensor<2x4x5xf64>
  %a1 = stablehlo.constant dense<[-1, 4]> : tensor<2xi64>
  %a2 = stablehlo.constant dense<[2.0]> : tensor<1xf64>
  %r0 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0, 2], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 0>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %s = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<2x4x5xf64>, tensor<2xi64>, tensor<1xf64>) -> (tensor<2x4x5xf64>)
  %w0 = stablehlo.constant dense<[[[2.0, -1.0, -2.0, -2.0, -1.0], [2.0, 3.0, -2.0, -3.0, 0.0], [1.0, 3.0, -2.0, 1.0, -4.0], [2.0, 2.0, 3.0, 2.0, 0.0]], [[0.0, -4.0, 0.0, -3.0, -1.0], [2.0, 2.0, -1.0, -4.0, -3.0], [-4.0, 1.0, -4.0, -4.0, -4.0], [-2.0, 0.0, 0.0, -1.0, 4.0]]]> : tensor<2x4x5xf64>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2x4x5xf64>, tensor<2x4x5xf64>) -> ()
  return
}
