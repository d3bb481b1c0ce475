// stage: run

// Operations that move elements.

func.func @broadcast_in_dim() {
  %x = stablehlo.constant dense<[[0], [1]]> : tensor<2x1xi32>
  %r = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x1xi32>) -> tensor<3x2x2xi32>
  check.expect_eq_const %r, dense<[[[0, 1], [0, 1]], [[0, 1], [0, 1]], [[0, 1], [0, 1]]]> : tensor<3x2x2xi32>
  return
}

func.func @broadcast_scalar() {
  %x = stablehlo.constant dense<7> : tensor<i32>
  %r = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[7, 7], [7, 7]]> : tensor<2x2xi32>
  return
}

func.func @reshape() {
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %r = stablehlo.reshape %x : (tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi32>
  return
}

func.func @transpose() {
  %x = stablehlo.constant dense<[[[0, 1, 2]], [[3, 4, 5]]]> : tensor<2x1x3xi32>
  %r = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x1x3xi32>) -> tensor<3x2x1xi32>
  check.expect_eq_const %r, dense<[[[0], [3]], [[1], [4]], [[2], [5]]]> : tensor<3x2x1xi32>
  return
}

func.func @reverse() {
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %r = stablehlo.reverse %x, dims = [0, 1] : tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[5, 4, 3], [2, 1, 0]]> : tensor<2x3xi32>
  return
}

func.func @concatenate() {
  %x = stablehlo.constant dense<[[0], [1]]> : tensor<2x1xi32>
  %y = stablehlo.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi32>
  %r = stablehlo.concatenate %x, %y, %x, dim = 1 : (tensor<2x1xi32>, tensor<2x2xi32>, tensor<2x1xi32>) -> tensor<2x4xi32>
  check.expect_eq_const %r, dense<[[0, 0, 1, 0], [1, 2, 3, 1]]> : tensor<2x4xi32>
  return
}

func.func @slice() {
  %x = stablehlo.constant dense<[[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14]]> : tensor<3x5xi32>
  %r = stablehlo.slice %x [1:3, 0:5:2] : (tensor<3x5xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[5, 7, 9], [10, 12, 14]]> : tensor<2x3xi32>
  return
}

func.func @slice_nothing() {
  %x = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
  %r = stablehlo.slice %x [2:2] : (tensor<3xi32>) -> tensor<0xi32>
  check.expect_eq_const %r, dense<> : tensor<0xi32>
  return
}

func.func @pad() {
  %x = stablehlo.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi32>
  %p = stablehlo.constant dense<9> : tensor<i32>
  %r = stablehlo.pad %x, %p, low = [1, 0], high = [0, 1], interior = [0, 2] : (tensor<2x2xi32>, tensor<i32>) -> tensor<3x5xi32>
  check.expect_eq_const %r, dense<[[9, 9, 9, 9, 9], [0, 9, 9, 1, 9], [2, 9, 9, 3, 9]]> : tensor<3x5xi32>
  return
}

func.func @pad_cuts_off() {
  %x = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %p = stablehlo.constant dense<9> : tensor<i32>
  %r = stablehlo.pad %x, %p, low = [-3], high = [-1], interior = [1] : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
  check.expect_eq_const %r, dense<[9, 2, 9, 3, 9]> : tensor<5xi32>
  return
}

func.func @dynamic_slice_moves_inside() {
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8]]> : tensor<3x3xi32>
  %i = stablehlo.constant dense<9> : tensor<i64>
  %j = stablehlo.constant dense<-9> : tensor<i64>
  %r = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 2] : (tensor<3x3xi32>, tensor<i64>, tensor<i64>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[3, 4], [6, 7]]> : tensor<2x2xi32>
  return
}

func.func @dynamic_update_slice_moves_inside() {
  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8]]> : tensor<3x3xi32>
  %u = stablehlo.constant dense<[[-1, -2]]> : tensor<1x2xi32>
  %i = stablehlo.constant dense<1> : tensor<i32>
  %j = stablehlo.constant dense<2> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<3x3xi32>, tensor<1x2xi32>, tensor<i32>, tensor<i32>) -> tensor<3x3xi32>
  check.expect_eq_const %r, dense<[[0, 1, 2], [3, -1, -2], [6, 7, 8]]> : tensor<3x3xi32>
  return
}

func.func @iota() {
  %r = stablehlo.iota dim = 1 : tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>
  return
}

func.func @iota_of_other_types() {
  %r = stablehlo.iota dim = 0 : tensor<3xbf16>
  %s = stablehlo.iota dim = 0 : tensor<10xi4>
  %c = stablehlo.iota dim = 0 : tensor<2xcomplex<f32>>
  check.expect_eq_const %r, dense<[0.0, 1.0, 2.0]> : tensor<3xbf16>
  check.expect_eq_const %s, dense<[0, 1, 2, 3, 4, 5, 6, 7, -8, -7]> : tensor<10xi4>
  check.expect_eq_const %c, dense<[(0.0, 0.0), (1.0, 0.0)]> : tensor<2xcomplex<f32>>
  return
}
