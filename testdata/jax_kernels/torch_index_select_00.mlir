// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[2.0, -4.0, -1.0], [-1.0, 4.0, -2.0], [-1.0, 4.0, 2.0], [2.0, -2.0, -3.0]]> : tensor<4x3xf32>
  %a1 = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %r0 = "stablehlo.torch_index_select"(%a0, %a1) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<4x3xf32>, tensor<2xi32>) -> (tensor<2x3xf32>)
  %w0 = stablehlo.constant dense<[[-1.0, 4.0, 2.0], [2.0, -4.0, -1.0]]> : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  return
}
