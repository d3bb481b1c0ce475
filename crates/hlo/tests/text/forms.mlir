// Texts in other forms than the one that prints, each with how it prints.

func @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>) {
  // A comment.
  %0 = "stablehlo.add"(%arg0, %arg0) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> // More.
  func.return %0 : tensor<2xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// -----

#loc1 = loc("x")
!row = tensor<3xf32>
#sharding = #sdy.sharding<@mesh, [{}]>
builtin.module @aliases attributes {sharding = #sharding} {
  func.func public @main(%arg0: !row loc("x"), %1: tensor<3x!e> {a = #sharding} loc(#loc1)) -> !row {
    %0 = stablehlo.abs %arg0 : !row loc(#loc4)
    %2 = stablehlo.negate %0 : !row loc("NEG:"(#loc1))
    %3 = stablehlo.sine %2 : !row loc(callsite("f"("a.py":1:2) at #loc9))
    return %3 : !row loc(#loc)
  } loc(#loc)
} loc(#loc)
!e = f32
#loc = loc(unknown)
#loc4 = loc(fused["a.py":1:3, "the \"name\""])
#loc9 = loc("a.py":3:4 to 5:6)
// ==>
module @aliases attributes {sharding = #sdy.sharding<@mesh, [{}]>} {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32> {a = #sdy.sharding<@mesh, [{}]>}) -> tensor<3xf32> {
    %0 = stablehlo.abs %arg0 : tensor<3xf32> loc("the \22name\22")
    %1 = stablehlo.negate %0 : tensor<3xf32> loc("x")
    %2 = stablehlo.sine %1 : tensor<3xf32> loc("f")
    return %2 : tensor<3xf32>
  }
}

// -----

func.func @older(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %v: tensor<3xf32>) {
  %0 = "stablehlo.transpose"(%x) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = "stablehlo.broadcast"(%v) {broadcast_sizes = dense<2> : tensor<1xi64>} : (tensor<3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.broadcast %v, sizes = [4, 2] : (tensor<3xf32>) -> tensor<4x2x3xf32>
  %3 = stablehlo.dot %x, %y, precision = [HIGH, HIGH] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %4 = "stablehlo.dot"(%v, %v) : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  %5 = "stablehlo.compare"(%x, %x) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %6 = stablehlo.create_token : !stablehlo.token
  %7 = stablehlo.compare  NE, %x, %x,  NOTYPE : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %8 = "stablehlo.reverse"(%x) {dimensions = [0, 1]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %9 = arith.constant dense<2> : tensor<2xindex>
  %10 = stablehlo.constant() {value = dense<[1, 2]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %11 = mhlo.copy %x : tensor<2x3xf32>
  %12 = sdy.sharding_constraint %11 <@mesh, [{"a"}, {}]> : tensor<2x3xf32>
  %13 = stablehlo.negate %12 : tensor<2x3xf32>
  %14 = "stablehlo.slice"(%x) {start_indices = array<i64: 0, 0>, limit_indices = array<i64: 1, 3>, strides = array<i64: 1, 2>} : (tensor<2x3xf32>) -> tensor<1x2xf32>
  "func.return"() : () -> ()
}
// ==>
module {
  func.func @older(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %v: tensor<3xf32>) {
    %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %2 = stablehlo.broadcast_in_dim %v, dims = [2] : (tensor<3xf32>) -> tensor<4x2x3xf32>
    %3 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [HIGH, HIGH] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %4 = stablehlo.dot_general %v, %v, contracting_dims = [0] x [0] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
    %5 = stablehlo.compare GE, %x, %x, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %6 = stablehlo.after_all : !stablehlo.token
    %7 = stablehlo.compare NE, %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %8 = stablehlo.reverse %x, dims = [0, 1] : tensor<2x3xf32>
    %9 = stablehlo.constant dense<2> : tensor<2xi64>
    %10 = stablehlo.constant dense<[1, 2]> : tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>
    %11 = stablehlo.negate %x : tensor<2x3xf32>
    %12 = stablehlo.slice %x [0:1, 0:3:2] : (tensor<2x3xf32>) -> tensor<1x2xf32>
    return
  }
}

// -----

func.func @assertions() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  check.expect_eq %0, %0 : tensor<2xf64>
  check.expect_eq_const %0, dense<[1.0, 2.0]> : tensor<2xf64>
  check.expect_almost_eq%0, %0, tolerance = 0.1 : tensor<2xf64>
  check.expect_almost_eq_const %0, dense<1.0> : tensor<2xf64> {tolerance = 0.1 : f64}
  check.expect_close %0, %0, max_ulp_difference = 3 : tensor<2xf64>, tensor<2xf64>
  "check.expect_eq_const"(%0) {value = dense<2.0> : tensor<2xf64>} : (tensor<2xf64>) -> ()
  check.expect_serialized_eq %0, probe_id = "a/0", iter = 1 : tensor<2xf64>
  %1 = interpreter.probe %0, probe_id = "p" : tensor<2xf64>
  %results:2 = "interpreter.run_parallel"(%0, %1) {programs=[[@f], [@f]], num_replicas=2} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  func.return
}
// ==>
module {
  func.func @assertions() {
    %0 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf64>
    stablehlo.custom_call @check.expect_eq(%0, %0) {has_side_effect = true} : (tensor<2xf64>, tensor<2xf64>) -> ()
    %1 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf64>
    stablehlo.custom_call @check.expect_eq(%0, %1) {has_side_effect = true} : (tensor<2xf64>, tensor<2xf64>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%0, %0) {has_side_effect = true, tolerance = 1.000000e-01 : f64} : (tensor<2xf64>, tensor<2xf64>) -> ()
    %2 = stablehlo.constant dense<1.000000e+00> : tensor<2xf64>
    stablehlo.custom_call @check.expect_almost_eq(%0, %2) {has_side_effect = true, tolerance = 1.000000e-01 : f64} : (tensor<2xf64>, tensor<2xf64>) -> ()
    stablehlo.custom_call @check.expect_close(%0, %0) {has_side_effect = true, max_ulp_difference = 3 : i64} : (tensor<2xf64>, tensor<2xf64>) -> ()
    %3 = stablehlo.constant dense<2.000000e+00> : tensor<2xf64>
    stablehlo.custom_call @check.expect_eq(%0, %3) {has_side_effect = true} : (tensor<2xf64>, tensor<2xf64>) -> ()
    stablehlo.custom_call @check.expect_serialized_eq(%0) {has_side_effect = true, probe_id = "a/0", iter = 1 : i64} : (tensor<2xf64>) -> ()
    %4 = stablehlo.custom_call @interpreter.probe(%0) {has_side_effect = true, probe_id = "p"} : (tensor<2xf64>) -> tensor<2xf64>
    %results:2 = stablehlo.custom_call @interpreter.run_parallel(%0, %4) {has_side_effect = true, programs = [[@f], [@f]], num_replicas = 2} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
    return
  }
}

// -----

func.func @resources() -> tensor<2xi16> {
  %0 = stablehlo.constant dense_resource<weights> : tensor<2xi16>
  return %0 : tensor<2xi16>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x020000000100FEFF"
    }
  }
#-}
// ==>
module {
  func.func @resources() -> tensor<2xi16> {
    %0 = stablehlo.constant dense<[1, -2]> : tensor<2xi16>
    return %0 : tensor<2xi16>
  }
}

// -----

func.func @spread(%lhs: tensor<1x4x4x1xi64>, %rhs: tensor<3x3x1x1xi64>, %pads: tensor<2x2xi64>,
                  %dyn: tensor<?x2xf32, #stablehlo.type_extensions<bounds = [4, ?]>>) {
  %0 = stablehlo.convolution(%lhs, %rhs)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {
      stride = [4, 4],
      lhs_dilate = [2, 2], reverse = [0, 1]
    } {
      batch_group_count = 1 : i64,
      feature_group_count = 1 : i64
    }
  : (tensor<1x4x4x1xi64>, tensor<3x3x1x1xi64>) -> tensor<1x2x2x1xi64>
  %1 = stablehlo.dynamic_conv(%lhs, %rhs, %pads)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [4, 4]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  : (tensor<1x4x4x1xi64>, tensor<3x3x1x1xi64>, tensor<2x2xi64>) -> tensor<1x?x?x1xi64>
  %2 = "stablehlo.convolution"(%lhs, %rhs) {dimension_numbers = #stablehlo.conv<raw
    input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2],
    kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3,
    kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3,
    output_spatial_dimensions = [1, 2]>, padding = dense<1> : tensor<2x2xi64>,
    batch_group_count = 1 : i64, feature_group_count = 1 : i64
  } : (tensor<1x4x4x1xi64>, tensor<3x3x1x1xi64>) -> tensor<1x4x4x1xi64>
  return
}
// ==>
module {
  func.func @spread(%lhs: tensor<1x4x4x1xi64>, %rhs: tensor<3x3x1x1xi64>, %pads: tensor<2x2xi64>, %dyn: tensor<?x2xf32, #stablehlo.bounds<4, ?>>) {
    %0 = stablehlo.convolution(%lhs, %rhs) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [4, 4], lhs_dilate = [2, 2], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xi64>, tensor<3x3x1x1xi64>) -> tensor<1x2x2x1xi64>
    %1 = "stablehlo.dynamic_conv"(%lhs, %rhs, %pads) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 4, 4>}> : (tensor<1x4x4x1xi64>, tensor<3x3x1x1xi64>, tensor<2x2xi64>) -> tensor<1x?x?x1xi64>
    %2 = stablehlo.convolution(%lhs, %rhs) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xi64>, tensor<3x3x1x1xi64>) -> tensor<1x4x4x1xi64>
    return
  }
}

// -----

func.func @steps(%x: tensor<2xi8>, %y: tensor<2xf32>) -> tensor<2xi8> {
  %0 = chlo.mulhi %x, %x : tensor<2xi8>, tensor<2xi8> -> tensor<2xi8>
  %1 = stablehlo.compare LT, %y, %y, WEAKORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %0 : tensor<2xi8>
}
// ==>
module {
  func.func @steps(%x: tensor<2xi8>, %y: tensor<2xf32>) -> tensor<2xi8> {
    %0 = stablehlo.convert %x : (tensor<2xi8>) -> tensor<2xi64>
    %1 = stablehlo.convert %x : (tensor<2xi8>) -> tensor<2xi64>
    %2 = stablehlo.multiply %0, %1 : tensor<2xi64>
    %3 = stablehlo.constant dense<8> : tensor<2xi64>
    %4 = stablehlo.shift_right_arithmetic %2, %3 : tensor<2xi64>
    %5 = stablehlo.convert %4 : (tensor<2xi64>) -> tensor<2xi8>
    %6 = stablehlo.constant dense<0x7FC00000> : tensor<2xf32>
    %7 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
    %8 = stablehlo.add %y, %7 : tensor<2xf32>
    %9 = stablehlo.compare NE, %y, %y, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %10 = stablehlo.select %9, %6, %8 : tensor<2xi1>, tensor<2xf32>
    %11 = stablehlo.constant dense<0x7FC00000> : tensor<2xf32>
    %12 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
    %13 = stablehlo.add %y, %12 : tensor<2xf32>
    %14 = stablehlo.compare NE, %y, %y, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %15 = stablehlo.select %14, %11, %13 : tensor<2xi1>, tensor<2xf32>
    %16 = stablehlo.compare LT, %10, %15, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    return %5 : tensor<2xi8>
  }
}

// -----

func.func @scan(%x: tensor<4x2xi32>, %c: tensor<2xi32>) -> (tensor<4x2xi32>, tensor<2xi32>) {
  %0:2 = chlo.scan(%x) inits(%c) dimension=0 attributes {is_reverse = true} {
  ^bb0(%a: tensor<2xi32>, %b: tensor<2xi32>):
    %1 = stablehlo.add %a, %b : tensor<2xi32>
    stablehlo.return %a, %1 : tensor<2xi32>, tensor<2xi32>
  } : (tensor<4x2xi32>, tensor<2xi32>) -> (tensor<4x2xi32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<4x2xi32>, tensor<2xi32>
}
// ==>
module {
  func.func @scan(%x: tensor<4x2xi32>, %c: tensor<2xi32>) -> (tensor<4x2xi32>, tensor<2xi32>) {
    %0 = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.constant dense<0> : tensor<4x2xi32>
    %2:3 = stablehlo.while(%iterArg = %0, %iterArg_0 = %c, %iterArg_1 = %1) : tensor<i64>, tensor<2xi32>, tensor<4x2xi32>
    cond {
      %3 = stablehlo.constant dense<4> : tensor<i64>
      %4 = stablehlo.compare LT, %iterArg, %3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %3 = stablehlo.constant dense<3> : tensor<i64>
      %4 = stablehlo.subtract %3, %iterArg : tensor<i64>
      %5 = stablehlo.constant dense<0> : tensor<i64>
      %6 = stablehlo.dynamic_slice %x, %4, %5, sizes = [1, 2] : (tensor<4x2xi32>, tensor<i64>, tensor<i64>) -> tensor<1x2xi32>
      %7 = stablehlo.reshape %6 : (tensor<1x2xi32>) -> tensor<2xi32>
      %8 = stablehlo.add %7, %iterArg_0 : tensor<2xi32>
      %9 = stablehlo.reshape %7 : (tensor<2xi32>) -> tensor<1x2xi32>
      %10 = stablehlo.dynamic_update_slice %iterArg_1, %9, %4, %5 : (tensor<4x2xi32>, tensor<1x2xi32>, tensor<i64>, tensor<i64>) -> tensor<4x2xi32>
      %11 = stablehlo.constant dense<1> : tensor<i64>
      %12 = stablehlo.add %iterArg, %11 : tensor<i64>
      stablehlo.return %12, %8, %10 : tensor<i64>, tensor<2xi32>, tensor<4x2xi32>
    }
    return %2#2, %2#1 : tensor<4x2xi32>, tensor<2xi32>
  }
}

// -----

func.func @kept(%x: tensor<2xf32>) -> tensor<2xf32> attributes {rate = 0.3 : f32, tie = 9223372036854775807.9 : f32, low = 0.1} {
  return %x : tensor<2xf32>
}
// ==>
module {
  func.func @kept(%x: tensor<2xf32>) -> tensor<2xf32> attributes {rate = 3.000000e-01 : f32, tie = 9.223372e+18 : f32, low = 1.000000e-01} {
    return %x : tensor<2xf32>
  }
}
