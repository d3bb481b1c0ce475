// stage: run

// Loops, branches, calls, tuples.

func.func private @twice(%x: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.add %x, %x : tensor<i32>
  return %r : tensor<i32>
}

func.func @powers_of_two() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.constant dense<10> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %x = %one) : tensor<i32>, tensor<i32>
    cond {
      %go = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %y = func.call @twice(%x) : (tensor<i32>) -> tensor<i32>
      stablehlo.return %next, %y : tensor<i32>, tensor<i32>
    }
  check.expect_eq_const %r#0, dense<10> : tensor<i32>
  check.expect_eq_const %r#1, dense<1024> : tensor<i32>
  return
}

func.func @a_loop_that_never_runs() {
  %x = stablehlo.constant dense<5> : tensor<i32>
  %r = stablehlo.while(%a = %x) : tensor<i32>
    cond {
      %no = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.return %no : tensor<i1>
    } do {
      stablehlo.return %a : tensor<i32>
    }
  check.expect_eq_const %r, dense<5> : tensor<i32>
  return
}

func.func @branches() {
  %x = stablehlo.constant dense<3> : tensor<i32>
  %yes = stablehlo.constant dense<true> : tensor<i1>
  %r = "stablehlo.if"(%yes) ({
    stablehlo.return %x : tensor<i32>
  }, {
    %n = stablehlo.negate %x : tensor<i32>
    stablehlo.return %n : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  check.expect_eq_const %r, dense<3> : tensor<i32>
  %far = stablehlo.constant dense<-7> : tensor<i32>
  // An index out of range takes the last branch.
  %s = "stablehlo.case"(%far) ({
    stablehlo.return %x : tensor<i32>
  }, {
    %n = stablehlo.negate %x : tensor<i32>
    stablehlo.return %n : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %s, dense<-3> : tensor<i32>
  return
}

func.func @tuples() {
  %x = stablehlo.constant dense<3> : tensor<i32>
  %y = stablehlo.constant dense<2.5> : tensor<f32>
  %t = stablehlo.tuple %x, %y : tuple<tensor<i32>, tensor<f32>>
  %a = stablehlo.get_tuple_element %t[0] : (tuple<tensor<i32>, tensor<f32>>) -> tensor<i32>
  %b = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tensor<f32>>) -> tensor<f32>
  check.expect_eq_const %a, dense<3> : tensor<i32>
  check.expect_eq_const %b, dense<2.5> : tensor<f32>
  return
}

func.func @barriers_and_tokens() {
  %x = stablehlo.constant dense<3> : tensor<i32>
  %y = stablehlo.constant dense<4> : tensor<i32>
  %r:2 = stablehlo.optimization_barrier %x, %y : tensor<i32>, tensor<i32>
  check.expect_eq_const %r#1, dense<4> : tensor<i32>
  %a = stablehlo.after_all : !stablehlo.token
  %b = stablehlo.after_all %a, %a : !stablehlo.token
  return
}

func.func @composites() {
  %x = stablehlo.constant dense<3> : tensor<i32>
  %r = stablehlo.composite "my.twice" %x {decomposition = @twice} : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %r, dense<6> : tensor<i32>
  return
}

func.func @known_custom_calls() {
  %x = stablehlo.constant dense<[0.0, 0.5]> : tensor<2xf32>
  %a = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %a, dense<[0.0, 0.5]> : tensor<2xf32>
  %b = stablehlo.custom_call @mhlo.erf(%x) : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_almost_eq_const %b, dense<[0.0, 0.5204999]> : tensor<2xf32>
  %c:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 1 : i64, largest = true}} : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xi32>)
  check.expect_eq_const %c#1, dense<[1]> : tensor<1xi32>
  return
}

func.func @probes() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r = stablehlo.while(%i = %zero) : tensor<i32>
    cond {
      %go = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %seen = interpreter.probe %next, probe_id = "next" : tensor<i32>
      stablehlo.return %seen : tensor<i32>
    }
  check.expect_serialized_eq %one, probe_id = "next" : tensor<i32>
  check.expect_serialized_eq %two, probe_id = "next", iter = 1 : tensor<i32>
  return
}
