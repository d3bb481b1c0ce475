// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[(-1.0, -3.0), (-3.0, -1.0), (2.0, 3.0)], [(-4.0, -3.0), (-3.0, 4.0), (3.0, -3.0)]], [[(4.0, 1.0), (-4.0, -1.0), (2.0, 0.0)], [(3.0, 3.0), (4.0, -4.0), (-2.0, -3.0)]], [[(-1.0, 4.0), (2.0, 4.0), (1.0, 3.0)], [(3.0, -1.0), (2.0, 1.0), (-4.0, 2.0)]], [[(4.0, 0.0), (-2.0, 0.0), (2.0, 2.0)], [(2.0, -4.0), (0.0, 3.0), (2.0, 1.0)]]]> : tensor<4x2x3xcomplex<f32>>
  %a1 = stablehlo.constant dense<[[-1, 0], [5, 1]]> : tensor<2x2xi32>
  %a2 = stablehlo.constant dense<[[(2.0, 1.0), (3.0, 1.0)]]> : tensor<1x2xcomplex<f32>>
  %r0 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 0>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%x: tensor<complex<f32>>, %y: tensor<complex<f32>>):
    %s = stablehlo.add %x, %y : tensor<complex<f32>>
    stablehlo.return %s : tensor<complex<f32>>
  }) : (tensor<4x2x3xcomplex<f32>>, tensor<2x2xi32>, tensor<1x2xcomplex<f32>>) -> (tensor<4x2x3xcomplex<f32>>)
  %w0 = stablehlo.constant dense<[[[(-1.0, -3.0), (-3.0, -1.0), (2.0, 3.0)], [(-4.0, -3.0), (-3.0, 4.0), (3.0, -3.0)]], [[(4.0, 1.0), (-4.0, -1.0), (2.0, 0.0)], [(6.0, 4.0), (4.0, -4.0), (-2.0, -3.0)]], [[(-1.0, 4.0), (2.0, 4.0), (1.0, 3.0)], [(3.0, -1.0), (2.0, 1.0), (-4.0, 2.0)]], [[(4.0, 0.0), (-2.0, 0.0), (2.0, 2.0)], [(2.0, -4.0), (0.0, 3.0), (2.0, 1.0)]]]> : tensor<4x2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<4x2x3xcomplex<f32>>, tensor<4x2x3xcomplex<f32>>) -> ()
  return
}
