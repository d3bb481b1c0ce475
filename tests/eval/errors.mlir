// stage: run
// expect-error: FAILED_PRECONDITION

func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 0x7FC00000]]> : tensor<2x2xf32>
  check.expect_eq_const %x, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  return
}
// ==>

// -----
// stage: run
// expect-error: FAILED_PRECONDITION

func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<f16>
  %y = stablehlo.constant dense<1.00390625> : tensor<f16>
  check.expect_close %x, %y, max_ulp_difference = 4 : tensor<f16>, tensor<f16>
  check.expect_close %x, %y, max_ulp_difference = 3 : tensor<f16>, tensor<f16>
  return
}
// ==>

// -----
// stage: run
// expect-error: UNIMPLEMENTED

func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %r = stablehlo.custom_call @nobody_knows(%x) : (tensor<f32>) -> tensor<f32>
  return
}
// ==>

// -----
// stage: run
// expect-error: INVALID_ARGUMENT

func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %s = stablehlo.constant dense<[4]> : tensor<1xi64>
  %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0]
    : (tensor<3xi32>, tensor<1xi64>) -> tensor<?xi32>
  return
}
// ==>

// -----
// stage: run
// expect-error: INVALID_ARGUMENT

func.func @main() {
  %s = stablehlo.constant dense<[4]> : tensor<1xi64>
  %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  %t = stablehlo.convert %r : (tensor<?xi32>) -> tensor<3xf32>
  return
}
// ==>

// -----
// stage: run
// expect-error: RESOURCE_EXHAUSTED

func.func @main() {
  func.call @main() : () -> ()
  return
}
// ==>

// -----
// stage: run
// expect-error: FAILED_PRECONDITION

// The second participant never comes to the meeting.
module @deadlock {
  func.func private @meet(%x: tensor<1xi64>) -> tensor<2xi64> {
    %r = "stablehlo.all_gather"(%x) {
      all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
    } : (tensor<1xi64>) -> tensor<2xi64>
    return %r : tensor<2xi64>
  }
  func.func private @leave(%x: tensor<1xi64>) -> tensor<1xi64> {
    return %x : tensor<1xi64>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1]> : tensor<1xi64>
    %r:2 = "interpreter.run_parallel"(%a, %a) {programs = [[@meet], [@leave]]}
      : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>, tensor<1xi64>)
    return
  }
}
// ==>
