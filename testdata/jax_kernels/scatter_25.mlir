// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[false, false, false], [true, false, false], [false, true, false], [true, true, false], [false, false, false]]> : tensor<5x3xi1>
  %a1 = stablehlo.constant dense<[[3], [9], [0]]> : tensor<3x1xi64>
  %a2 = stablehlo.constant dense<[[true, true, true], [true, true, true], [false, true, true]]> : tensor<3x3xi1>
  %r0 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = true}> ({
  ^bb0(%x: tensor<i1>, %y: tensor<i1>):
    stablehlo.return %y : tensor<i1>
  }) : (tensor<5x3xi1>, tensor<3x1xi64>, tensor<3x3xi1>) -> (tensor<5x3xi1>)
  %w0 = stablehlo.constant dense<[[false, true, true], [true, false, false], [false, true, false], [true, true, true], [false, false, false]]> : tensor<5x3xi1>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<5x3xi1>, tensor<5x3xi1>) -> ()
  return
}
