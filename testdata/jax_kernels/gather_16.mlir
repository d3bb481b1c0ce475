// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[[-33, -73], [90, 9], [-25, 72], [65, -76]], [[-19, -59], [75, -79], [52, 98], [43, 52]]], [[[4, -82], [76, 70], [-54, -13], [-29, -96]], [[-66, -88], [84, -51], [-21, -93], [-38, -67]]], [[[65, -88], [-60, -72], [93, -81], [98, -15]], [[-9, 66], [71, 57], [89, 6], [-26, -88]]]]> : tensor<3x2x4x2xi8>
  %a1 = stablehlo.constant dense<[0, 5, 4, 6]> : tensor<4xui8>
  %r0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [0, 1], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [1, 3, 0, 2], index_vector_dim = 0>, slice_sizes = array<i64: 1, 1, 1, 1>, indices_are_sorted = false}> : (tensor<3x2x4x2xi8>, tensor<4xui8>) -> (tensor<1x1xi8>)
  %w0 = stablehlo.constant dense<[[-15]]> : tensor<1x1xi8>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<1x1xi8>, tensor<1x1xi8>) -> ()
  return
}
