// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[1, -4, 3, -3, -3, 3], [-3, 4, 3, -3, -3, 4], [-3, 3, 4, -2, -2, -4]]> : tensor<3x6xi32>
  %a1 = stablehlo.constant dense<100> : tensor<i32>
  %r0 = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[-1, 2], [-1, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.minimum %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3x6xi32>, tensor<i32>) -> (tensor<2x4xi32>)
  %w0 = stablehlo.constant dense<[[3, -3, -3, -4], [3, -2, -2, -4]]> : tensor<2x4xi32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2x4xi32>, tensor<2x4xi32>) -> ()
  return
}
