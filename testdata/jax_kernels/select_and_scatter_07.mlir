// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[-4.0], [-2.0], [-6.0]], [[5.0], [3.0], [0.0]], [[1.0], [-3.0], [-1.0]], [[2.0], [4.0], [-5.0]]]> : tensor<4x3x1xbf16>
  %a1 = stablehlo.constant dense<[[[-1.0], [-4.0], [2.0], [4.0], [-1.0]], [[-2.0], [4.0], [-1.0], [2.0], [-2.0]]]> : tensor<2x5x1xbf16>
  %a2 = stablehlo.constant dense<0.0> : tensor<bf16>
  %r0 = "stablehlo.select_and_scatter"(%a0, %a1, %a2) <{window_dimensions = array<i64: 1, 3, 1>, window_strides = array<i64: 2, 1, 3>, padding = dense<[[0, 0], [2, 2], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
    %p = stablehlo.compare GE, %x, %y, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
    %s = stablehlo.add %x, %y : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<4x3x1xbf16>, tensor<2x5x1xbf16>, tensor<bf16>) -> (tensor<4x3x1xbf16>)
  %w0 = stablehlo.constant dense<[[[-1.0], [2.0], [-1.0]], [[0.0], [0.0], [0.0]], [[1.0], [0.0], [0.0]], [[0.0], [0.0], [0.0]]]> : tensor<4x3x1xbf16>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<4x3x1xbf16>, tensor<4x3x1xbf16>) -> ()
  return
}
