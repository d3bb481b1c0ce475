// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[2, -3, 3], [2, -1, -3], [-4, 0, 4], [0, 3, -4], [-2, -2, -2]]> : tensor<5x3xi32>
  %a1 = stablehlo.constant dense<[0, 2]> : tensor<2xi32>
  %a2 = stablehlo.constant dense<3> : tensor<i32>
  %r0 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0, 1], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 0>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.minimum %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<5x3xi32>, tensor<2xi32>, tensor<i32>) -> (tensor<5x3xi32>)
  %w0 = stablehlo.constant dense<[[2, -3, 3], [2, -1, -3], [-4, 0, 4], [0, 3, -4], [-2, -2, -2]]> : tensor<5x3xi32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<5x3xi32>, tensor<5x3xi32>) -> ()
  return
}
