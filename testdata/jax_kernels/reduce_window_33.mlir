// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[2, -3, -4, 4, 0, 2, 0, 4, -1, 4, -3, -4, 4, 1, 4, 0, -1, 2, -1, -4], [-3, 1, 1, 1, -4, -1, 2, -3, 3, 2, 3, -4, -2, -1, -1, -4, 4, -2, -1, -2], [-3, 1, 2, 2, -2, 2, -3, -1, 4, 2, -3, 1, -2, 0, -4, 3, 4, 4, 2, 0]]> : tensor<3x20xi32>
  %a1 = stablehlo.constant dense<-100> : tensor<i32>
  %r0 = "stablehlo.reduce_window"(%a0, %a1) <{window_dimensions = array<i64: 1, 20>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [-1, 20]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.maximum %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3x20xi32>, tensor<i32>) -> (tensor<3x20xi32>)
  %w0 = stablehlo.constant dense<[[4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2, 2, 2, -1, -4, -100], [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, -1, -1, -2, -100], [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2, 0, -100]]> : tensor<3x20xi32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3x20xi32>, tensor<3x20xi32>) -> ()
  return
}
