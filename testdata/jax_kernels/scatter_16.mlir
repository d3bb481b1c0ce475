// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[[2, 2, -3, 1], [1, -1, -3, 2]], [[-4, -3, 1, -2], [4, -2, 0, -2]]], [[[4, -2, 4, 2], [-4, 4, 3, 1]], [[4, 4, 4, 0], [1, 1, 2, 0]]], [[[-3, -3, 4, 2], [0, -2, 1, -2]], [[-2, -4, -3, -1], [2, 0, -4, -2]]], [[[4, -3, 1, 1], [0, 1, 4, 1]], [[2, -1, 3, -2], [-3, 0, 1, -2]]], [[[1, -3, -1, 1], [0, -1, -4, -4]], [[-3, 4, 1, -2], [3, -1, 1, 0]]]]> : tensor<5x2x2x4xi8>
  %a1 = stablehlo.constant dense<[[-1, 3], [2, 0]]> : tensor<2x2xi64>
  %a2 = stablehlo.constant dense<3> : tensor<1x2x1x1xi8>
  %r0 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 2, 3], inserted_window_dims = [], input_batching_dims = [2], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%x: tensor<i8>, %y: tensor<i8>):
    %s = stablehlo.maximum %x, %y : tensor<i8>
    stablehlo.return %s : tensor<i8>
  }) : (tensor<5x2x2x4xi8>, tensor<2x2xi64>, tensor<1x2x1x1xi8>) -> (tensor<5x2x2x4xi8>)
  %w0 = stablehlo.constant dense<[[[[2, 2, -3, 1], [1, -1, -3, 2]], [[-4, -3, 1, -2], [4, -2, 0, -2]]], [[[4, -2, 4, 2], [-4, 4, 3, 1]], [[4, 4, 4, 0], [1, 1, 2, 0]]], [[[-3, -3, 4, 2], [3, -2, 1, -2]], [[-2, -4, -3, -1], [2, 0, -4, -2]]], [[[4, -3, 1, 1], [0, 1, 4, 1]], [[2, -1, 3, -2], [-3, 0, 1, -2]]], [[[1, -3, -1, 1], [0, -1, -4, -4]], [[-3, 4, 1, -2], [3, -1, 1, 0]]]]> : tensor<5x2x2x4xi8>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<5x2x2x4xi8>, tensor<5x2x2x4xi8>) -> ()
  return
}
