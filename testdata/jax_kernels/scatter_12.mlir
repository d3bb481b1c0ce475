// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-4, 4, 4, 3, -3], [0, 0, 4, 1, 3]]> : tensor<2x5xi8>
  %a1 = stablehlo.constant dense<[[[2, 2], [-1, 1], [0, 3], [5, 3]]]> : tensor<1x4x2xi64>
  %a2 = stablehlo.constant dense<[[[1], [1], [2], [1]]]> : tensor<1x4x1xi8>
  %r0 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%x: tensor<i8>, %y: tensor<i8>):
    %s = stablehlo.add %x, %y : tensor<i8>
    stablehlo.return %s : tensor<i8>
  }) : (tensor<2x5xi8>, tensor<1x4x2xi64>, tensor<1x4x1xi8>) -> (tensor<2x5xi8>)
  %w0 = stablehlo.constant dense<[[-4, 4, 4, 5, -3], [0, 0, 4, 1, 3]]> : tensor<2x5xi8>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2x5xi8>, tensor<2x5xi8>) -> ()
  return
}
