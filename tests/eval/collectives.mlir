// stage: run

// Several participants: `programs` has a row for each replica, with a program for each partition.

module @gather {
  func.func @over_replicas(%x: tensor<1x2xi64>) -> tensor<2x2xi64> {
    %r = "stablehlo.all_gather"(%x) {
      all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>
    } : (tensor<1x2xi64>) -> tensor<2x2xi64>
    return %r : tensor<2x2xi64>
  }
  func.func @over_all(%x: tensor<1x2xi64>) -> tensor<4x2xi64> {
    %r = "stablehlo.all_gather"(%x) {
      all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>
    } : (tensor<1x2xi64>) -> tensor<4x2xi64>
    return %r : tensor<4x2xi64>
  }
  func.func @over_ids(%x: tensor<1x2xi64>) -> tensor<2x2xi64> {
    %r = "stablehlo.all_gather"(%x) {
      all_gather_dim = 0 : i64, replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids
    } : (tensor<1x2xi64>) -> tensor<2x2xi64>
    return %r : tensor<2x2xi64>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi64>
    %b = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi64>
    %c = stablehlo.constant dense<[[5, 6]]> : tensor<1x2xi64>
    %d = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi64>
    %r:2 = "interpreter.run_parallel"(%a, %b) {
      programs = [[@over_replicas], [@over_replicas]]
    } : (tensor<1x2xi64>, tensor<1x2xi64>) -> (tensor<2x2xi64>, tensor<2x2xi64>)
    check.expect_eq_const %r#0, dense<[[3, 4], [1, 2]]> : tensor<2x2xi64>
    check.expect_eq_const %r#1, dense<[[3, 4], [1, 2]]> : tensor<2x2xi64>
    // Replicas of the first partition, then those of the second.
    %s:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {
      programs = [[@over_all, @over_all], [@over_all, @over_all]]
    } : (tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>)
      -> (tensor<4x2xi64>, tensor<4x2xi64>, tensor<4x2xi64>, tensor<4x2xi64>)
    check.expect_eq_const %s#3, dense<[[1, 2], [5, 6], [3, 4], [7, 8]]> : tensor<4x2xi64>
    %t:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {
      programs = [[@over_ids, @over_ids], [@over_ids, @over_ids]]
    } : (tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>)
      -> (tensor<2x2xi64>, tensor<2x2xi64>, tensor<2x2xi64>, tensor<2x2xi64>)
    check.expect_eq_const %t#0, dense<[[1, 2], [7, 8]]> : tensor<2x2xi64>
    check.expect_eq_const %t#2, dense<[[3, 4], [5, 6]]> : tensor<2x2xi64>
    return
  }
}

// -----
// stage: run

module @reduce {
  func.func @sum(%x: tensor<2xi64>, %y: tensor<f32>) -> (tensor<2xi64>, tensor<f32>) {
    %r = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %s = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %s : tensor<i64>
    }) {replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>}
      : (tensor<2xi64>) -> tensor<2xi64>
    %q = "stablehlo.all_reduce"(%y) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<f32>) -> tensor<f32>
    return %r, %q : tensor<2xi64>, tensor<f32>
  }
  func.func @part_of_sum(%x: tensor<2xi64>) -> tensor<1xi64> {
    %r = "stablehlo.reduce_scatter"(%x) ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %s = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %s : tensor<i64>
    }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
      : (tensor<2xi64>) -> tensor<1xi64>
    return %r : tensor<1xi64>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %b = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
    %c = stablehlo.constant dense<[5, 6]> : tensor<2xi64>
    %f = stablehlo.constant dense<1.5> : tensor<f32>
    %g = stablehlo.constant dense<2.5> : tensor<f32>
    %r:6 = "interpreter.run_parallel"(%a, %f, %b, %g, %c, %f) {
      programs = [[@sum], [@sum], [@sum]]
    } : (tensor<2xi64>, tensor<f32>, tensor<2xi64>, tensor<f32>, tensor<2xi64>, tensor<f32>)
      -> (tensor<2xi64>, tensor<f32>, tensor<2xi64>, tensor<f32>, tensor<2xi64>, tensor<f32>)
    check.expect_eq_const %r#0, dense<[6, 8]> : tensor<2xi64>
    check.expect_eq_const %r#1, dense<2.5> : tensor<f32>
    check.expect_eq_const %r#2, dense<[3, 4]> : tensor<2xi64>
    check.expect_eq_const %r#4, dense<[6, 8]> : tensor<2xi64>
    %s:2 = "interpreter.run_parallel"(%a, %b) {
      programs = [[@part_of_sum], [@part_of_sum]]
    } : (tensor<2xi64>, tensor<2xi64>) -> (tensor<1xi64>, tensor<1xi64>)
    check.expect_eq_const %s#0, dense<[4]> : tensor<1xi64>
    check.expect_eq_const %s#1, dense<[6]> : tensor<1xi64>
    return
  }
}

// -----
// stage: run

module @exchange {
  func.func @swap(%x: tensor<2x2xi64>) -> tensor<4x1xi64> {
    %r = "stablehlo.all_to_all"(%x) {
      split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
    } : (tensor<2x2xi64>) -> tensor<4x1xi64>
    return %r : tensor<4x1xi64>
  }
  func.func @shift(%x: tensor<1xi64>) -> (tensor<1xi64>, tensor<ui32>, tensor<ui32>) {
    %r = "stablehlo.collective_permute"(%x) {
      source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>
    } : (tensor<1xi64>) -> tensor<1xi64>
    %p = stablehlo.partition_id : tensor<ui32>
    %q = stablehlo.replica_id : tensor<ui32>
    return %r, %p, %q : tensor<1xi64>, tensor<ui32>, tensor<ui32>
  }
  func.func @spread(%x: tensor<1xi64>) -> tensor<1xi64> {
    %r = "stablehlo.collective_broadcast"(%x) {
      replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>
    } : (tensor<1xi64>) -> tensor<1xi64>
    return %r : tensor<1xi64>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
    %b = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi64>
    %r:2 = "interpreter.run_parallel"(%a, %b) {
      programs = [[@swap], [@swap]]
    } : (tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<4x1xi64>, tensor<4x1xi64>)
    check.expect_eq_const %r#0, dense<[[1], [3], [5], [7]]> : tensor<4x1xi64>
    check.expect_eq_const %r#1, dense<[[2], [4], [6], [8]]> : tensor<4x1xi64>
    %x = stablehlo.constant dense<[10]> : tensor<1xi64>
    %y = stablehlo.constant dense<[20]> : tensor<1xi64>
    %z = stablehlo.constant dense<[30]> : tensor<1xi64>
    %s:9 = "interpreter.run_parallel"(%x, %y, %z) {
      programs = [[@shift, @shift, @shift]]
    } : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
      -> (tensor<1xi64>, tensor<ui32>, tensor<ui32>, tensor<1xi64>, tensor<ui32>, tensor<ui32>,
          tensor<1xi64>, tensor<ui32>, tensor<ui32>)
    // Nobody sends to the first.
    check.expect_eq_const %s#0, dense<[0]> : tensor<1xi64>
    check.expect_eq_const %s#3, dense<[10]> : tensor<1xi64>
    check.expect_eq_const %s#6, dense<[20]> : tensor<1xi64>
    check.expect_eq_const %s#7, dense<2> : tensor<ui32>
    check.expect_eq_const %s#8, dense<0> : tensor<ui32>
    %t:3 = "interpreter.run_parallel"(%x, %y, %z) {
      programs = [[@spread], [@spread], [@spread]]
    } : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
      -> (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
    check.expect_eq_const %t#0, dense<[20]> : tensor<1xi64>
    check.expect_eq_const %t#2, dense<[0]> : tensor<1xi64>
    return
  }
}

// -----
// stage: run

module @channels {
  func.func private @first() -> tensor<2xi64> {
    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    return %x : tensor<2xi64>
  }
  func.func private @send(%t: !stablehlo.token) -> !stablehlo.token {
    %r:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
    %s = "stablehlo.send"(%r#0, %r#1) {
      channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>
    } : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
    return %s : !stablehlo.token
  }
  func.func private @receive(%t: !stablehlo.token) -> tensor<2xi64> {
    %r:2 = "stablehlo.recv"(%t) {
      channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>
    } : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
    return %r#0 : tensor<2xi64>
  }
  func.func @main() {
    %t = stablehlo.after_all : !stablehlo.token
    %r:2 = "interpreter.run_parallel"(%t, %t) {
      infeed = [@first], programs = [[@receive], [@send]]
    } : (!stablehlo.token, !stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
    check.expect_eq_const %r#0, dense<[1, 2]> : tensor<2xi64>
    return
  }
}
