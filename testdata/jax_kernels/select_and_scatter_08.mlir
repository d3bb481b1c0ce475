// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[-2.0], [0.0], [-1.0], [2.0], [1.0]]> : tensor<5x1xf32>
  %a1 = stablehlo.constant dense<[[1.0], [0.0], [3.0]]> : tensor<3x1xf32>
  %a2 = stablehlo.constant dense<0.0> : tensor<f32>
  %r0 = "stablehlo.select_and_scatter"(%a0, %a1, %a2) <{window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 2, 3>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GE, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5x1xf32>, tensor<3x1xf32>, tensor<f32>) -> (tensor<5x1xf32>)
  %w0 = stablehlo.constant dense<[[1.0], [0.0], [0.0], [0.0], [3.0]]> : tensor<5x1xf32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<5x1xf32>, tensor<5x1xf32>) -> ()
  return
}
