// The pieces of canonical.mlir in generic form.

"builtin.module"() <{sym_name = "unary"}> ({
  "func.func"() <{function_type = (tensor<4xf32>, tensor<4xi32>, tensor<4xcomplex<f32>>) -> (), sym_name = "main"}> ({
  ^bb0(%x: tensor<4xf32>, %n: tensor<4xi32>, %z: tensor<4xcomplex<f32>>):
    %0 = "stablehlo.abs"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.cbrt"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = "stablehlo.ceil"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %3 = "stablehlo.count_leading_zeros"(%n) : (tensor<4xi32>) -> tensor<4xi32>
    %4 = "stablehlo.cosine"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %5 = "stablehlo.exponential"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %6 = "stablehlo.exponential_minus_one"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %7 = "stablehlo.floor"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %8 = "stablehlo.imag"(%z) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %9 = "stablehlo.is_finite"(%x) : (tensor<4xf32>) -> tensor<4xi1>
    %10 = "stablehlo.log"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %11 = "stablehlo.log_plus_one"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %12 = "stablehlo.logistic"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %13 = "stablehlo.negate"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %14 = "stablehlo.not"(%n) : (tensor<4xi32>) -> tensor<4xi32>
    %15 = "stablehlo.popcnt"(%n) : (tensor<4xi32>) -> tensor<4xi32>
    %16 = "stablehlo.real"(%z) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %17 = "stablehlo.round_nearest_afz"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %18 = "stablehlo.round_nearest_even"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %19 = "stablehlo.rsqrt"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %20 = "stablehlo.sign"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %21 = "stablehlo.sine"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %22 = "stablehlo.sqrt"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %23 = "stablehlo.tan"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %24 = "stablehlo.tanh"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %25 = "chlo.acos"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %26 = "chlo.acosh"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %27 = "chlo.asin"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %28 = "chlo.asinh"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %29 = "chlo.atan"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %30 = "chlo.atanh"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %31 = "chlo.bessel_i1e"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %32 = "chlo.conj"(%z) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %33 = "chlo.cosh"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %34 = "chlo.digamma"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %35 = "chlo.erf"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %36 = "chlo.erfc"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %37 = "chlo.erf_inv"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %38 = "chlo.is_inf"(%x) : (tensor<4xf32>) -> tensor<4xi1>
    %39 = "chlo.is_neg_inf"(%x) : (tensor<4xf32>) -> tensor<4xi1>
    %40 = "chlo.is_pos_inf"(%x) : (tensor<4xf32>) -> tensor<4xi1>
    %41 = "chlo.lgamma"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %42 = "chlo.sinh"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %43 = "chlo.square"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %44 = "chlo.tan"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() <{sym_name = "binary"}> ({
  "func.func"() <{function_type = (tensor<4xf32>, tensor<4xi32>) -> (), sym_name = "main"}> ({
  ^bb0(%x: tensor<4xf32>, %n: tensor<4xi32>):
    %0 = "stablehlo.add"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.and"(%n, %n) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %2 = "stablehlo.atan2"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %3 = "stablehlo.complex"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
    %4 = "stablehlo.divide"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %5 = "stablehlo.maximum"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %6 = "stablehlo.minimum"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %7 = "stablehlo.multiply"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %8 = "stablehlo.or"(%n, %n) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %9 = "stablehlo.power"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %10 = "stablehlo.remainder"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %11 = "stablehlo.shift_left"(%n, %n) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %12 = "stablehlo.shift_right_arithmetic"(%n, %n) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %13 = "stablehlo.shift_right_logical"(%n, %n) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %14 = "stablehlo.subtract"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %15 = "stablehlo.xor"(%n, %n) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %16 = "chlo.next_after"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %17 = "chlo.polygamma"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %18 = "chlo.zeta"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() <{sym_name = "elementwise"}> ({
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<?x3xf32>, tensor<2x3xi1>, tensor<i1>, tensor<2x3xcomplex<f32>>, tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> (), sym_name = "main"}> ({
  ^bb0(%x: tensor<2x3xf32>, %y: tensor<?x3xf32>, %p: tensor<2x3xi1>, %q: tensor<i1>, %z: tensor<2x3xcomplex<f32>>, %u: tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>):
    %0 = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %1 = "stablehlo.compare"(%x, %x) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %2 = "stablehlo.select"(%p, %x, %x) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %3 = "stablehlo.select"(%q, %x, %y) : (tensor<i1>, tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>
    %4 = "stablehlo.clamp"(%x, %x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %5 = "stablehlo.convert"(%x) : (tensor<2x3xf32>) -> tensor<2x3xi64>
    %6 = "stablehlo.convert"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %7 = "stablehlo.bitcast_convert"(%x) : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %8 = "stablehlo.reduce_precision"(%x) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %9 = "stablehlo.uniform_quantize"(%x) : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>
    %10 = "stablehlo.uniform_dequantize"(%u) : (tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<2x3xf32>
    %11 = "stablehlo.abs"(%z) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %12 = "stablehlo.add"(%x, %y) : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>
    %13 = "stablehlo.map"(%x, %x) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %14 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%14) : (tensor<f32>) -> ()
    }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() <{sym_name = "constants"}> ({
  "func.func"() <{function_type = (tensor<2xi64>) -> (tensor<ui32>, tensor<ui32>), sym_name = "main"}> ({
  ^bb0(%shape: tensor<2xi64>):
    %cst = "stablehlo.constant"() <{value = dense<[[1.000000e+00, -0.000000e+00], [1.234567e-01, 0x7FC00000]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
    %c = "stablehlo.constant"() <{value = dense<[true, false, true]> : tensor<3xi1>}> : () -> tensor<3xi1>
    %c_0 = "stablehlo.constant"() <{value = dense<-3> : tensor<4x5xi4>}> {mhlo.frontend = "x"} : () -> tensor<4x5xi4>
    %cst_1 = "stablehlo.constant"() <{value = dense<(1.000000e+00,-2.000000e+00)> : tensor<complex<f64>>}> : () -> tensor<complex<f64>>
    %c_2 = "stablehlo.constant"() <{value = dense<> : tensor<0x3xui8>}> : () -> tensor<0x3xui8>
    %cst_3 = "stablehlo.constant"() <{value = dense<[1.000000e+00, 4.480000e+02]> : tensor<2xf8E4M3FN>}> : () -> tensor<2xf8E4M3FN>
    %c_4 = "stablehlo.constant"() <{value = dense<[1, -2]> : tensor<2x!quant.uniform<i8:f32:0, {5.000000e-01:3,2.500000e-01}>>}> : () -> tensor<2x!quant.uniform<i8:f32:0, {5.000000e-01:3,2.500000e-01}>>
    %0 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x3xi32>
    %1 = "stablehlo.dynamic_iota"(%shape) <{iota_dimension = 0 : i64}> : (tensor<2xi64>) -> tensor<?x?xf32>
    %2 = "stablehlo.partition_id"() : () -> tensor<ui32>
    %3 = "stablehlo.replica_id"() : () -> tensor<ui32>
    "func.return"(%2, %3) : (tensor<ui32>, tensor<ui32>) -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() <{sym_name = "moves"}> ({
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xi64>, tensor<2xi32>, tensor<i32>, tensor<f32>) -> (), sym_name = "main"}> ({
  ^bb0(%x: tensor<2x3xf32>, %shape: tensor<3xi64>, %two: tensor<2xi32>, %i: tensor<i32>, %s: tensor<f32>):
    %0 = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
    %1 = "stablehlo.dynamic_broadcast_in_dim"(%x, %shape) <{broadcast_dimensions = array<i64: 1, 2>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>}> : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<?x2x3xf32>
    %2 = "stablehlo.reshape"(%x) : (tensor<2x3xf32>) -> tensor<6xf32>
    %3 = "stablehlo.dynamic_reshape"(%x, %two) : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
    %4 = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %5 = "stablehlo.reverse"(%x) <{dimensions = array<i64: 0, 1>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %6 = "stablehlo.concatenate"(%x, %x, %x) <{dimension = 1 : i64}> : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
    %7 = "stablehlo.slice"(%x) <{limit_indices = array<i64: 1, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 2>}> : (tensor<2x3xf32>) -> tensor<1x2xf32>
    %8 = "stablehlo.dynamic_slice"(%x, %i, %i) <{slice_sizes = array<i64: 1, 2>}> : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %9 = "stablehlo.real_dynamic_slice"(%x, %two, %two, %two) : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
    %10 = "stablehlo.dynamic_update_slice"(%x, %8, %i, %i) : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %11 = "stablehlo.pad"(%x, %s) <{edge_padding_high = array<i64: 0, 2>, edge_padding_low = array<i64: 1, -1>, interior_padding = array<i64: 0, 1>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>
    %12 = "stablehlo.dynamic_pad"(%x, %s, %two, %two, %two) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
    %13 = "stablehlo.get_dimension_size"(%x) <{dimension = 1 : i64}> : (tensor<2x3xf32>) -> tensor<i32>
    %14 = "stablehlo.set_dimension_size"(%x, %i) <{dimension = 0 : i64}> : (tensor<2x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<2, ?>>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() <{sym_name = "gathers"}> ({
  "func.func"() <{function_type = (tensor<5x3x4xf32>, tensor<6x1xi32>, tensor<5x2x1xi32>, tensor<3xi64>, tensor<6x3x4xf32>, tensor<2xi32>) -> (), sym_name = "main"}> ({
  ^bb0(%x: tensor<5x3x4xf32>, %i: tensor<6x1xi32>, %b: tensor<5x2x1xi32>, %sizes: tensor<3xi64>, %u: tensor<6x3x4xf32>, %w: tensor<2xi32>):
    %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3, 4>}> : (tensor<5x3x4xf32>, tensor<6x1xi32>) -> tensor<6x3x4xf32>
    %1 = "stablehlo.gather"(%x, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<5x3x4xf32>, tensor<5x2x1xi32>) -> tensor<5x2x4xf32>
    %2 = "stablehlo.dynamic_gather"(%x, %i, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x3x4xf32>, tensor<6x1xi32>, tensor<3xi64>) -> tensor<6x?x?xf32>
    %3 = "stablehlo.torch_index_select"(%x, %w) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<5x3x4xf32>, tensor<2xi32>) -> tensor<5x2x4xf32>
    %4 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%a: tensor<f32>, %c: tensor<f32>):
      %5 = "stablehlo.add"(%a, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%5) : (tensor<f32>) -> ()
    }) : (tensor<5x3x4xf32>, tensor<6x1xi32>, tensor<6x3x4xf32>) -> tensor<5x3x4xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() <{sym_name = "folds"}> ({
  "func.func"() <{function_type = (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>, tensor<2x3xf32>) -> (), sym_name = "main"}> ({
  ^bb0(%x: tensor<4x6xf32>, %n: tensor<4x6xi32>, %s: tensor<f32>, %k: tensor<i32>, %h: tensor<2x3xf32>):
    %0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %1 = "stablehlo.add"(%arg0, %arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %2 = "stablehlo.subtract"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%2) : (tensor<f32>) -> ()
    }) {mhlo.note = "x"} : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %2:2 = "stablehlo.reduce"(%x, %n, %s, %k) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg0: tensor<f32>, %arg2: tensor<i32>, %arg1: tensor<f32>, %arg3: tensor<i32>):
      %3 = "stablehlo.maximum"(%arg0, %arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %4 = "stablehlo.minimum"(%arg2, %arg3) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%3, %4) : (tensor<f32>, tensor<i32>) -> ()
    }) : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
    %3 = "stablehlo.reduce_window"(%x, %s) <{base_dilations = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 2, 1>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %4 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%4) : (tensor<f32>) -> ()
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x6xf32>
    %4 = "stablehlo.select_and_scatter"(%x, %h, %s) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %5 = "stablehlo.compare"(%a, %b) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%5) : (tensor<i1>) -> ()
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %5 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%5) : (tensor<f32>) -> ()
    }) : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>
    %5:2 = "stablehlo.sort"(%x, %n) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
      %6 = "stablehlo.compare"(%a, %b) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%6) : (tensor<i1>) -> ()
    }) : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
    %values, %indices = "chlo.top_k"(%x) <{k = 2 : i64}> : (tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
    %6:2 = "chlo.top_k"(%x) <{k = 3 : i64, largest = false}> : (tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
    %7 = "stablehlo.add"(%5#0, %5#0) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() <{sym_name = "contractions"}> ({
  "func.func"() <{function_type = (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<3x4xf32>, tensor<1x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> (), sym_name = "main"}> ({
  ^bb0(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>, %m: tensor<3x4xf32>, %image: tensor<1x8x8x2xf32>, %kernel: tensor<3x3x2x6xf32>, %pads: tensor<2x2xi64>):
    %0 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = "stablehlo.dot_general"(%m, %m) <{algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
    %2 = "stablehlo.dot_general"(%m, %m) <{dot_dimension_numbers = #stablehlo.dot<>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4x3x4xf32>
    %3 = "stablehlo.convolution"(%image, %kernel) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<1x6x6x6xf32>
    %4 = "stablehlo.convolution"(%image, %kernel) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[f, b, 0, 1]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 2>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 2, 1>, window_reversal = array<i1: false, true>, window_strides = array<i64: 2, 2>}> : (tensor<1x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<6x1x3x8xf32>
    %5 = "stablehlo.dynamic_conv"(%image, %kernel, %pads) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 2, 2>}> : (tensor<1x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<1x?x?x6xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() <{sym_name = "library"}> ({
  "func.func"() <{function_type = (tensor<3x3xf32>, tensor<3x2xf32>, tensor<4x8xcomplex<f32>>, tensor<2x5x3xf32>, tensor<3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xui64>) -> (), sym_name = "main"}> ({
  ^bb0(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>, %z: tensor<4x8xcomplex<f32>>, %x: tensor<2x5x3xf32>, %c: tensor<3xf32>, %s: tensor<f32>, %shape: tensor<2xi64>, %state: tensor<2xui64>):
    %0 = "stablehlo.cholesky"(%a) : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %1 = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %2 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %3 = "stablehlo.fft"(%z) <{fft_length = array<i64: 8>, fft_type = #stablehlo<fft_type IFFT>}> : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
    %4 = "stablehlo.batch_norm_inference"(%x, %c, %c, %c, %c) <{epsilon = 1.000000e-05 : f32, feature_index = 2 : i64}> : (tensor<2x5x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x5x3xf32>
    %5:3 = "stablehlo.batch_norm_training"(%x, %c, %c) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<2x5x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x5x3xf32>, tensor<3xf32>, tensor<3xf32>)
    %6:3 = "stablehlo.batch_norm_grad"(%x, %c, %c, %c, %x) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<2x5x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x5x3xf32>) -> (tensor<2x5x3xf32>, tensor<3xf32>, tensor<3xf32>)
    %7 = "stablehlo.rng"(%s, %s, %shape) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}> : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x5xf32>
    %output_state, %output = "stablehlo.rng_bit_generator"(%state) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() <{sym_name = "control"}> ({
  "func.func"() <{function_type = (tensor<i1>, tensor<i32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>), res_attrs = [{jax.result_info = "[0]"}, {}], sym_name = "main"}> ({
  ^bb0(%p: tensor<i1>, %i: tensor<i32>, %x: tensor<3xf32>):
    %0 = "stablehlo.if"(%p) ({
      %1 = "stablehlo.negate"(%x) : (tensor<3xf32>) -> tensor<3xf32>
      "stablehlo.return"(%1) : (tensor<3xf32>) -> ()
    }, {
      "stablehlo.return"(%x) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    %1 = "stablehlo.case"(%i) ({
      "stablehlo.return"(%x) : (tensor<3xf32>) -> ()
    }, {
      %2 = "func.call"(%x) <{callee = @double}> : (tensor<3xf32>) -> tensor<3xf32>
      "stablehlo.return"(%2) : (tensor<3xf32>) -> ()
    }, {
      "stablehlo.return"(%0) : (tensor<3xf32>) -> ()
    }) : (tensor<i32>) -> tensor<3xf32>
    %2:2 = "stablehlo.while"(%i, %x) ({
    ^bb0(%n: tensor<i32>, %y: tensor<3xf32>):
      %c = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
      %3 = "stablehlo.compare"(%n, %c) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%3) : (tensor<i1>) -> ()
    }, {
    ^bb0(%n: tensor<i32>, %y: tensor<3xf32>):
      %3:2 = "stablehlo.while"(%n, %y) ({
      ^bb0(%iterArg: tensor<i32>, %iterArg_0: tensor<3xf32>):
        "stablehlo.return"(%p) : (tensor<i1>) -> ()
      }, {
      ^bb0(%iterArg: tensor<i32>, %iterArg_0: tensor<3xf32>):
        "stablehlo.return"(%iterArg, %iterArg_0) : (tensor<i32>, tensor<3xf32>) -> ()
      }) : (tensor<i32>, tensor<3xf32>) -> (tensor<i32>, tensor<3xf32>)
      %4 = "stablehlo.add"(%3#1, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      "stablehlo.return"(%3#0, %4) : (tensor<i32>, tensor<3xf32>) -> ()
    }) {mhlo.trip_count = 3 : i64} : (tensor<i32>, tensor<3xf32>) -> (tensor<i32>, tensor<3xf32>)
    "stablehlo.while"() ({
      "stablehlo.return"(%p) : (tensor<i1>) -> ()
    }, {
      "stablehlo.return"() : () -> ()
    }) : () -> ()
    %3 = "func.call"(%2#1) <{callee = @double}> {xla.inline} : (tensor<3xf32>) -> tensor<3xf32>
    %4 = "stablehlo.composite"(%3) <{composite_attributes = {n = 2 : i64}, decomposition = @double, name = "my.double", version = 1 : i32}> : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%4, %2#0) : (tensor<3xf32>, tensor<i32>) -> ()
  }) {tf.entry} : () -> ()
  "func.func"() <{arg_attrs = [{jax.arg_info = "x", tf.aliasing_output = 0 : i32}], function_type = (tensor<3xf32>) -> tensor<3xf32>, sym_name = "double", sym_visibility = "private"}> ({
  ^bb0(%x: tensor<3xf32>):
    %0 = "stablehlo.add"(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()

// -----

"builtin.module"() <{sym_name = "structure"}> ({
  "func.func"() <{function_type = (tensor<3xf32>, tensor<i32>) -> (tensor<i32>, !stablehlo.token), sym_name = "main"}> ({
  ^bb0(%x: tensor<3xf32>, %i: tensor<i32>):
    %0 = "stablehlo.tuple"(%x, %i) {xla.note} : (tensor<3xf32>, tensor<i32>) -> tuple<tensor<3xf32>, tensor<i32>>
    %1 = "stablehlo.tuple"() : () -> tuple<>
    %2 = "stablehlo.get_tuple_element"(%0) <{index = 1 : i32}> : (tuple<tensor<3xf32>, tensor<i32>>) -> tensor<i32>
    "stablehlo.optimization_barrier"() : () -> ()
    %3:2 = "stablehlo.optimization_barrier"(%x, %i) {xla.note} : (tensor<3xf32>, tensor<i32>) -> (tensor<3xf32>, tensor<i32>)
    %4 = "stablehlo.after_all"() : () -> !stablehlo.token
    %5 = "stablehlo.after_all"(%4, %4) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
    "func.return"(%2, %5) : (tensor<i32>, !stablehlo.token) -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() <{sym_name = "calls"}> ({
  "func.func"() <{function_type = (tensor<2x3xf32>) -> (), sym_name = "main"}> ({
  ^bb0(%x: tensor<2x3xf32>):
    %0 = "stablehlo.custom_call"(%x) <{backend_config = "", call_target_name = "Sharding"}> {mhlo.sharding = "{replicated}"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %1:2 = "stablehlo.custom_call"(%x, %x) <{api_version = 4 : i32, backend_config = {a = 1 : i64, b = 1.500000e+00 : f32, uplo = 76 : ui8}, call_target_name = "my kernel", called_computations = [@helper], has_side_effect = true}> {operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
    "stablehlo.custom_call"(%x, %0) <{call_target_name = "check.expect_close", has_side_effect = true}> {max_ulp_difference = 3 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<f32>) -> tensor<f32>, sym_name = "helper", sym_visibility = "private"}> ({
  ^bb0(%x: tensor<f32>):
    "func.return"(%x) : (tensor<f32>) -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() <{sym_name = "communication"}> ({
  sdy.mesh @mesh = <["x"=2]>
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, {}], function_type = (tensor<4x2xf32>, !stablehlo.token) -> (), sym_name = "main"}> ({
  ^bb0(%x: tensor<4x2xf32>, %t: !stablehlo.token):
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
    %1 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %2 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%2) : (tensor<f32>) -> ()
    }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %2 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %3 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%3) : (tensor<f32>) -> ()
    }) : (tensor<4x2xf32>) -> tensor<2x2xf32>
    %3 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
    %4 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %5 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %6:2 = "stablehlo.infeed"(%t) <{infeed_config = "in"}> {layout = [[0, 1]]} : (!stablehlo.token) -> (tensor<4x2xf32>, !stablehlo.token)
    %7 = "stablehlo.outfeed"(%x, %t) <{outfeed_config = "out"}> : (tensor<4x2xf32>, !stablehlo.token) -> !stablehlo.token
    %8 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<4x2xf32>, !stablehlo.token) -> !stablehlo.token
    %9:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4x2xf32>, !stablehlo.token)
    %10 = "stablehlo.add"(%6#0, %9#0) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32> loc("sum/AddV2")
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
