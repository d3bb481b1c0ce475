// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[0.0, 0.0, 1.0], [3.0, 2.0, -3.0], [0.0, -1.0, 2.0], [-3.0, 4.0, -3.0], [2.0, 0.0, 4.0]]> : tensor<5x3xf32>
  %a1 = stablehlo.constant dense<[[3], [9], [0]]> : tensor<3x1xi64>
  %a2 = stablehlo.constant dense<[[2.0, -3.0, -1.0], [0.0, -2.0, 0.0], [0.0, 3.0, -4.0]]> : tensor<3x3xf32>
  %r0 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<5x3xf32>, tensor<3x1xi64>, tensor<3x3xf32>) -> (tensor<5x3xf32>)
  %w0 = stablehlo.constant dense<[[0.0, 3.0, -4.0], [3.0, 2.0, -3.0], [0.0, -1.0, 2.0], [2.0, -3.0, -1.0], [2.0, 0.0, 4.0]]> : tensor<5x3xf32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<5x3xf32>, tensor<5x3xf32>) -> ()
  return
}
