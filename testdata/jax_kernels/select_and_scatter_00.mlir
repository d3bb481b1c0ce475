// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[[-10.0, 6.0, -21.0, -1.0], [-6.0, 9.0, 19.0, 12.0], [-24.0, 3.0, -12.0, 13.0]], [[14.0, -18.0, 2.0, -13.0], [-23.0, -11.0, -16.0, 11.0], [-8.0, 23.0, -22.0, 15.0]], [[20.0, -5.0, -3.0, -17.0], [16.0, 22.0, -14.0, 0.0], [21.0, 10.0, 18.0, 4.0]], [[8.0, 17.0, 5.0, 1.0], [-9.0, -15.0, -2.0, -19.0], [7.0, -4.0, -20.0, -7.0]]]> : tensor<4x3x4xbf16>
  %a1 = stablehlo.constant dense<[[[2.0, -3.0, 2.0, 0.0], [-3.0, 1.0, 0.0, 0.0]], [[-1.0, 4.0, -3.0, 4.0], [-3.0, 3.0, 4.0, -3.0]]]> : tensor<2x2x4xbf16>
  %a2 = stablehlo.constant dense<0.0> : tensor<bf16>
  %r0 = "stablehlo.select_and_scatter"(%a0, %a1, %a2) <{window_dimensions = array<i64: 3, 3, 1>, window_strides = array<i64: 2, 2, 1>, padding = dense<[[1, 1], [2, 1], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
    %p = stablehlo.compare GE, %x, %y, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
    %s = stablehlo.add %x, %y : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<4x3x4xbf16>, tensor<2x2x4xbf16>, tensor<bf16>) -> (tensor<4x3x4xbf16>)
  %w0 = stablehlo.constant dense<[[[0.0, -3.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]], [[-1.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 4.0, 0.0, -3.0]], [[-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [-3.0, 0.0, 4.0, 0.0]], [[0.0, 4.0, -3.0, 4.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]]> : tensor<4x3x4xbf16>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<4x3x4xbf16>, tensor<4x3x4xbf16>) -> ()
  return
}
