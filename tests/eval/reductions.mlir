// stage: run

// Reductions, sorting, top-k and maps.

func.func @sum_rows() {
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %z = stablehlo.constant dense<10> : tensor<i32>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[13, 22]> : tensor<2xi32>
  return
}

func.func @sum_nothing() {
  %x = stablehlo.constant dense<> : tensor<2x0xi32>
  %z = stablehlo.constant dense<10> : tensor<i32>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x0xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[10, 10]> : tensor<2xi32>
  return
}

func.func @maximum_sees_nan() {
  %x = stablehlo.constant dense<[1.0, 0x7FC00000, 3.0]> : tensor<3xf32>
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %r, dense<0x7FC00000> : tensor<f32>
  return
}

func.func @arg_max() {
  %x = stablehlo.constant dense<[[1.0, 5.0, 2.0], [9.0, 7.0, 9.0]]> : tensor<2x3xf32>
  %i = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %low), (%i init: %z) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%ai: tensor<i32>, %bi: tensor<i32>) {
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %m = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
    %k = stablehlo.select %p, %ai, %bi : tensor<i1>, tensor<i32>
    stablehlo.return %m, %k : tensor<f32>, tensor<i32>
  }
  check.expect_eq_const %r#0, dense<[5.0, 9.0]> : tensor<2xf32>
  check.expect_eq_const %r#1, dense<[1, 0]> : tensor<2xi32>
  return
}

func.func @sort_pairs() {
  %x = stablehlo.constant dense<[[3, 1, 2], [1, 1, 0]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[[10, 11, 12], [13, 14, 15]]> : tensor<2x3xi32>
  %r:2 = "stablehlo.sort"(%x, %y) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>)
  check.expect_eq_const %r#0, dense<[[1, 2, 3], [0, 1, 1]]> : tensor<2x3xi32>
  check.expect_eq_const %r#1, dense<[[11, 12, 10], [15, 13, 14]]> : tensor<2x3xi32>
  return
}

func.func @sort_in_total_order() {
  %x = stablehlo.constant dense<[0x7FC00000, 1.0, -0.0, 0.0, 0xFF800000, 0xFFC00000]> : tensor<6xf32>
  %r = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<6xf32>) -> tensor<6xf32>
  %i = stablehlo.bitcast_convert %r : (tensor<6xf32>) -> tensor<6xui32>
  check.expect_eq_const %i, dense<[4290772992, 4286578688, 2147483648, 0, 1065353216, 2143289344]> : tensor<6xui32>
  return
}

func.func @top_k() {
  %x = stablehlo.constant dense<[[1.0, 0x7FC00000, 3.0, 1.0], [4.0, 4.0, 2.0, 5.0]]> : tensor<2x4xf32>
  %v, %i = chlo.top_k(%x, k = 3) : tensor<2x4xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  check.expect_eq_const %v, dense<[[0x7FC00000, 3.0, 1.0], [5.0, 4.0, 4.0]]> : tensor<2x3xf32>
  check.expect_eq_const %i, dense<[[1, 2, 0], [3, 0, 1]]> : tensor<2x3xi32>
  return
}

func.func @map_with_a_capture() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %c = stablehlo.constant dense<10> : tensor<i32>
  %r = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>):
    %m = stablehlo.multiply %a, %c : tensor<i32>
    stablehlo.return %m : tensor<i32>
  }) : (tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[10, 20, 30]> : tensor<3xi32>
  return
}

func.func private @after(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>)
    -> tensor<i1> {
  %p = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %p : tensor<i1>
}

// The approximate top-k of exporters is computed exactly, with their comparator.
func.func @approximate_top_k() {
  %x = stablehlo.constant dense<[1.0, 5.0, 3.0, 4.0]> : tensor<4xf32>
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %r:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %low, %none) {
    called_computations = [@after], mhlo.backend_config = {reduction_dim = 0 : i64, top_k = 2 : i64}
  } : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  check.expect_eq_const %r#0, dense<[5.0, 4.0]> : tensor<2xf32>
  check.expect_eq_const %r#1, dense<[1, 3]> : tensor<2xi32>
  return
}
