// Results of XLA's CPU backend (jax 0.10.2); made by make.py.
func.func public @main() {
  %a0 = stablehlo.constant dense<[[9.0, 0.0, 11.0, 28.0, 5.0, 13.0], [14.0, 3.0, 24.0, 21.0, 17.0, 10.0], [19.0, 23.0, 27.0, 18.0, 16.0, 7.0], [8.0, 4.0, 20.0, 22.0, 29.0, 1.0], [15.0, 12.0, 6.0, 25.0, 2.0, 26.0]]> : tensor<5x6xf32>
  %a1 = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17], [18, 19, 20, 21, 22, 23], [24, 25, 26, 27, 28, 29]]> : tensor<5x6xi32>
  %a2 = stablehlo.constant dense<-1.0> : tensor<f32>
  %a3 = stablehlo.constant dense<-1> : tensor<i32>
  %r:2 = "stablehlo.reduce_window"(%a0, %a1, %a2, %a3) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 2, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>):
    %p = stablehlo.compare GE, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %p, %x, %y : tensor<i1>, tensor<f32>
    %k = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %v, %k : tensor<f32>, tensor<i32>
  }) : (tensor<5x6xf32>, tensor<5x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<3x6xf32>, tensor<3x6xi32>)
  %r0 = stablehlo.optimization_barrier %r#0 : tensor<3x6xf32>
  %r1 = stablehlo.optimization_barrier %r#1 : tensor<3x6xi32>
  %w0 = stablehlo.constant dense<[[9.0, 11.0, 28.0, 28.0, 13.0, 13.0], [23.0, 27.0, 27.0, 18.0, 16.0, 7.0], [15.0, 12.0, 25.0, 25.0, 26.0, 26.0]]> : tensor<3x6xf32>
  stablehlo.custom_call @check.expect_eq(%r0, %w0) {has_side_effect = true} : (tensor<3x6xf32>, tensor<3x6xf32>) -> ()
  %w1 = stablehlo.constant dense<[[0, 2, 3, 3, 5, 5], [13, 14, 14, 15, 16, 17], [24, 25, 27, 27, 29, 29]]> : tensor<3x6xi32>
  stablehlo.custom_call @check.expect_eq(%r1, %w1) {has_side_effect = true} : (tensor<3x6xi32>, tensor<3x6xi32>) -> ()
  return
}
