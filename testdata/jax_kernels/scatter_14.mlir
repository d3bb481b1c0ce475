// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-2.0, 0.0], [4.0, -1.0], [-3.0, 0.0], [1.0, -4.0], [1.0, -3.0]]> : tensor<5x2xf32>
  %a1 = stablehlo.constant dense<[[0, -1, 5], [-1, 0, 0]]> : tensor<2x3xi32>
  %a2 = stablehlo.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  %r0 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0, 1], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 0>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.multiply %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5x2xf32>, tensor<2x3xi32>, tensor<3xf32>) -> (tensor<5x2xf32>)
  %w0 = stablehlo.constant dense<[[-2.0, 0.0], [4.0, -1.0], [-3.0, 0.0], [1.0, -4.0], [1.0, -3.0]]> : tensor<5x2xf32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<5x2xf32>, tensor<5x2xf32>) -> ()
  return
}
