// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[2, 4, -4], [0, 2, 0], [-2, -4, -2], [-1, 4, 4], [-3, -4, 0], [-3, 2, -4], [2, 0, 3], [1, 3, 0], [3, 3, 4], [2, 1, 1], [3, 1, 1], [0, -3, -4], [1, -4, 1], [1, -2, -3], [0, -1, 2], [1, -3, 1], [-4, -2, 2], [-2, 2, -3], [1, 1, 0], [2, -3, -3]]> : tensor<20x3xi32>
  %a1 = stablehlo.constant dense<-100> : tensor<i32>
  %r0 = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 20, 1>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[19, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.maximum %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<20x3xi32>, tensor<i32>) -> (tensor<20x3xi32>)
  %w0 = stablehlo.constant dense<[[2, 4, -4], [2, 4, 0], [2, 4, 0], [2, 4, 4], [2, 4, 4], [2, 4, 4], [2, 4, 4], [2, 4, 4], [3, 4, 4], [3, 4, 4], [3, 4, 4], [3, 4, 4], [3, 4, 4], [3, 4, 4], [3, 4, 4], [3, 4, 4], [3, 4, 4], [3, 4, 4], [3, 4, 4], [3, 4, 4]]> : tensor<20x3xi32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<20x3xi32>, tensor<20x3xi32>) -> ()
  return
}
