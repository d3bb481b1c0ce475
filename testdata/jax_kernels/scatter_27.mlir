// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-3.0, -1.0, 0.0], [4.0, -4.0, 4.0], [-1.0, -1.0, 4.0], [3.0, 0.0, 4.0], [3.0, 0.0, 1.0]]> : tensor<5x3xf32>
  %a1 = stablehlo.constant dense<[[4, -1, 4], [1, 0, 3], [1, 0, -4], [1, 2, 4], [-3, -2, 2]]> : tensor<5x3xi32>
  %a2 = stablehlo.constant dense<[[3], [9], [3]]> : tensor<3x1xi64>
  %a3 = stablehlo.constant dense<[[1.0, 3.0, 2.0], [-1.0, 4.0, -3.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf32>
  %a4 = stablehlo.constant dense<[[4, 2, -3], [0, -1, -2], [-3, -1, -1]]> : tensor<3x3xi32>
  %r:2 = "stablehlo.scatter"(%a0, %a1, %a2, %a3, %a4) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = true}> ({
  ^bb0(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    %m = stablehlo.maximum %i, %j : tensor<i32>
    stablehlo.return %s, %m : tensor<f32>, tensor<i32>
  }) : (tensor<5x3xf32>, tensor<5x3xi32>, tensor<3x1xi64>, tensor<3x3xf32>, tensor<3x3xi32>) -> (tensor<5x3xf32>, tensor<5x3xi32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<5x3xf32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<5x3xi32>
  %w0 = stablehlo.constant dense<[[-3.0, -1.0, 0.0], [4.0, -4.0, 4.0], [-1.0, -1.0, 4.0], [4.0, 3.0, 9.0], [3.0, 0.0, 1.0]]> : tensor<5x3xf32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<5x3xf32>, tensor<5x3xf32>) -> ()
  %w1 = stablehlo.constant dense<[[4, -1, 4], [1, 0, 3], [1, 0, -4], [4, 2, 4], [-3, -2, 2]]> : tensor<5x3xi32>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<5x3xi32>, tensor<5x3xi32>) -> ()
  return
}
