// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[26.0, 14.0, 21.0, 18.0, 1.0, 15.0], [12.0, 5.0, 25.0, 22.0, 24.0, 8.0], [28.0, 29.0, 3.0, 4.0, 16.0, 9.0], [23.0, 19.0, 0.0, 17.0, 6.0, 11.0], [20.0, 2.0, 7.0, 10.0, 13.0, 27.0]]> : tensor<5x6xf32>
  %a1 = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17], [18, 19, 20, 21, 22, 23], [24, 25, 26, 27, 28, 29]]> : tensor<5x6xi32>
  %a2 = stablehlo.constant dense<-1.0> : tensor<f32>
  %a3 = stablehlo.constant dense<-1> : tensor<i32>
  %r:2 = "stablehlo.reduce_window"(%a0, %a1, %a2, %a3) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>):
    %p = stablehlo.compare GE, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %p, %x, %y : tensor<i1>, tensor<f32>
    %k = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %v, %k : tensor<f32>, tensor<i32>
  }) : (tensor<5x6xf32>, tensor<5x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x6xf32>, tensor<2x6xi32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<2x6xf32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<2x6xi32>
  %w0 = stablehlo.constant dense<[[28.0, 29.0, 29.0, 25.0, 24.0, 24.0], [28.0, 29.0, 29.0, 17.0, 17.0, 27.0]]> : tensor<2x6xf32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<2x6xf32>, tensor<2x6xf32>) -> ()
  %w1 = stablehlo.constant dense<[[12, 13, 13, 8, 10, 10], [12, 13, 13, 21, 21, 29]]> : tensor<2x6xi32>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<2x6xi32>, tensor<2x6xi32>) -> ()
  return
}
