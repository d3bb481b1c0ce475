// stage: run
// expect-error: FAILED_PRECONDITION

func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 0x7FC00000]]> : tensor<2x2xf32>
  check.expect_eq_const %x, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  return
}
// ==>
// FAILED_PRECONDITION: check.expect_eq: element [1, 1] is NaN, want 4.0 [at check.expect_eq(%x) in @main]
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
// FAILED_PRECONDITION: check.expect_close: element [] is 1.0, want 1.00390625 [at check.expect_close(%x) in @main]
// -----
// stage: run
// expect-error: UNIMPLEMENTED

func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %r = stablehlo.custom_call @nobody_knows(%x) : (tensor<f32>) -> tensor<f32>
  return
}
// ==>
// UNIMPLEMENTED: the custom call target "nobody_knows" is not known [at %r = nobody_knows in @main]; known targets: Sharding, SPMDFullToShardShape, SPMDShardToFullShape, LayoutConstraint, MoveToDevice, MoveToHost, annotate_device_placement, xla.sdy.FuncResultSharding, xla.sdy.GlobalToLocalShape, xla.sdy.LocalToGlobalShape, ApproxTopK, TopK, mhlo.topk, shape_assertion, check.eq, check.expect_eq, check.expect_eq_const, check.expect_almost_eq, check.expect_almost_eq_const, check.expect_close, check.expect_serialized_eq, interpreter.print, interpreter.probe, interpreter.run_parallel, mhlo.* of elementwise operations
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
// INVALID_ARGUMENT: [3] does not broadcast to [4] [at %r = stablehlo.dynamic_broadcast_in_dim in @main]
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
// INVALID_ARGUMENT: stablehlo.convert: a tensor f32[4] stands where the type says f32[3] [at %t = stablehlo.convert in @main]
// -----
// stage: run
// expect-error: INVALID_ARGUMENT

func.func @main() {
  func.call @main() : () -> ()
  return
}
// ==>
// INVALID_ARGUMENT: it calls @main again [at @main]
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
// FAILED_PRECONDITION: participants wait for one another and none can go on [at %r = stablehlo.all_gather in @meet]; all members of a group must run its collective, in the same order
