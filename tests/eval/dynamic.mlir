// stage: run

// Shapes that are known when the program runs.

func.func @dynamic_broadcast_in_dim() {
  %x = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %d = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<2xi32>, tensor<2xi64>) -> tensor<?x?xi32>
  %r = stablehlo.add %d, %d : tensor<?x?xi32>
  check.expect_eq_const %r, dense<[[0, 2], [0, 2], [0, 2]]> : tensor<3x2xi32>
  return
}

func.func @dynamic_iota() {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
  check.expect_eq_const %r, dense<[[0, 0, 0], [1, 1, 1]]> : tensor<2x3xi32>
  return
}

func.func @dynamic_reshape() {
  %x = stablehlo.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %s = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  %r = stablehlo.dynamic_reshape %x, %s : (tensor<4xi32>, tensor<2xi64>) -> tensor<?x?xi32>
  check.expect_eq_const %r, dense<[[0, 1], [2, 3]]> : tensor<2x2xi32>
  return
}

func.func @real_dynamic_slice() {
  %x = stablehlo.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi32>
  %a = stablehlo.constant dense<[1]> : tensor<1xi64>
  %b = stablehlo.constant dense<[6]> : tensor<1xi64>
  %c = stablehlo.constant dense<[2]> : tensor<1xi64>
  %r = stablehlo.real_dynamic_slice %x, %a, %b, %c : (tensor<6xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
  check.expect_eq_const %r, dense<[1, 3, 5]> : tensor<3xi32>
  return
}

func.func @dynamic_pad() {
  %x = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
  %p = stablehlo.constant dense<9> : tensor<i32>
  %a = stablehlo.constant dense<[1]> : tensor<1xi64>
  %b = stablehlo.constant dense<[-1]> : tensor<1xi64>
  %c = stablehlo.constant dense<[1]> : tensor<1xi64>
  %r = stablehlo.dynamic_pad %x, %p, %a, %b, %c : (tensor<3xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
  check.expect_eq_const %r, dense<[9, 0, 9, 1, 9]> : tensor<5xi32>
  return
}

func.func @dynamic_gather() {
  %x = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
  %i = stablehlo.constant dense<[[0, 1], [9, 9]]> : tensor<2x2xi64>
  %s = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<3x4xi32>, tensor<2x2xi64>, tensor<2xi64>) -> tensor<?x?xi32>
  check.expect_eq_const %r, dense<[[1, 2], [10, 11]]> : tensor<2x2xi32>
  return
}

// Elements past the size that was set are not seen any more.
func.func @sizes() {
  %x = stablehlo.constant dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %c = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<3x2xi32>, tensor<i32>) -> tensor<?x2xi32, #stablehlo.bounds<3, ?>>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.reduce(%c init: %z) applies stablehlo.add across dimensions = [0] : (tensor<?x2xi32, #stablehlo.bounds<3, ?>>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[2, 4]> : tensor<2xi32>
  return
}

func.func @get_dimension_size() {
  %x = stablehlo.constant dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %c = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<3x2xi32>, tensor<i32>) -> tensor<?x2xi32, #stablehlo.bounds<3, ?>>
  %r = stablehlo.get_dimension_size %c, dim = 0 : (tensor<?x2xi32, #stablehlo.bounds<3, ?>>) -> tensor<i32>
  check.expect_eq_const %r, dense<2> : tensor<i32>
  return
}
