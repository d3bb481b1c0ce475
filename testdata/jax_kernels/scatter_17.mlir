// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[2, -2, 4, -2]> : tensor<4xi8>
  %a1 = stablehlo.constant dense<[0, 5, 3, 3]> : tensor<4xi64>
  %a2 = stablehlo.constant dense<[[2, 1, 1, 1]]> : tensor<1x4xi8>
  %r0 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%x: tensor<i8>, %y: tensor<i8>):
    %s = stablehlo.maximum %x, %y : tensor<i8>
    stablehlo.return %s : tensor<i8>
  }) : (tensor<4xi8>, tensor<4xi64>, tensor<1x4xi8>) -> (tensor<4xi8>)
  %w0 = stablehlo.constant dense<[2, -2, 4, 1]> : tensor<4xi8>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<4xi8>, tensor<4xi8>) -> ()
  return
}
