// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[3, 1, 3]]]> : tensor<1x1x3xi8>
  %a1 = stablehlo.constant dense<[1, 0, -3]> : tensor<3xi8>
  %r0 = "stablehlo.dot_general"(%a0, %a1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [2], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [], rhs_contracting_dimensions = []>}> : (tensor<1x1x3xi8>, tensor<3xi8>) -> (tensor<3x1x1xi32>)
  %w0 = stablehlo.constant dense<[[[3]], [[0]], [[-9]]]> : tensor<3x1x1xi32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3x1x1xi32>, tensor<3x1x1xi32>) -> ()
  return
}
