// stage: roundtrip
func.func @main(%x: tensor<2x3xf32>, %n: tensor<i32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %place = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %best:2 = stablehlo.reduce(%x init: %zero), (%place init: %none) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %more = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %value = stablehlo.select %more, %a, %b : tensor<i1>, tensor<f32>
      %index = stablehlo.select %more, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %index : tensor<f32>, tensor<i32>
    }
  return %sum, %best#0, %best#1 : tensor<2xf32>, tensor<2xf32>, tensor<2xi32>
}
// ==>
// module {
//   func.func @main(%x: tensor<2x3xf32>, %n: tensor<i32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) {
//     %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
//     %none = stablehlo.constant dense<0> : tensor<i32>
//     %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
//     %place = stablehlo.iota dim = 1 : tensor<2x3xi32>
//     %best:2 = stablehlo.reduce(%x init: %zero), (%place init: %none) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
//      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
//       %more = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
//       %value = stablehlo.select %more, %a, %b : tensor<i1>, tensor<f32>
//       %index = stablehlo.select %more, %i, %j : tensor<i1>, tensor<i32>
//       stablehlo.return %value, %index : tensor<f32>, tensor<i32>
//     }
//     return %sum, %best#0, %best#1 : tensor<2xf32>, tensor<2xf32>, tensor<2xi32>
//   }
// }
// -----
// stage: roundtrip
func.func @main(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<f32>
  cond {
    %go = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %twice = stablehlo.add %v, %v : tensor<f32>
    stablehlo.return %next, %twice : tensor<i32>, tensor<f32>
  }
  return %r#1 : tensor<f32>
}
// ==>
// module {
//   func.func @main(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
//     %zero = stablehlo.constant dense<0> : tensor<i32>
//     %one = stablehlo.constant dense<1> : tensor<i32>
//     %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<f32>
//     cond {
//       %go = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//       stablehlo.return %go : tensor<i1>
//     } do {
//       %next = stablehlo.add %i, %one : tensor<i32>
//       %twice = stablehlo.add %v, %v : tensor<f32>
//       stablehlo.return %next, %twice : tensor<i32>, tensor<f32>
//     }
//     return %r#1 : tensor<f32>
//   }
// }
// -----
// stage: roundtrip
func.func @main(%p: tensor<i1>, %k: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
  %a = "stablehlo.if"(%p) ({
    %sine = stablehlo.sine %x : tensor<f32>
    stablehlo.return %sine : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  %b = "stablehlo.case"(%k) ({
    stablehlo.return %a : tensor<f32>
  }, {
    %cosine = stablehlo.cosine %a : tensor<f32>
    stablehlo.return %cosine : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %b : tensor<f32>
}
// ==>
// module {
//   func.func @main(%p: tensor<i1>, %k: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
//     %a = "stablehlo.if"(%p) ({
//       %sine = stablehlo.sine %x : tensor<f32>
//       stablehlo.return %sine : tensor<f32>
//     }, {
//       stablehlo.return %x : tensor<f32>
//     }) : (tensor<i1>) -> tensor<f32>
//     %b = "stablehlo.case"(%k) ({
//       stablehlo.return %a : tensor<f32>
//     }, {
//       %cosine = stablehlo.cosine %a : tensor<f32>
//       stablehlo.return %cosine : tensor<f32>
//     }) : (tensor<i32>) -> tensor<f32>
//     return %b : tensor<f32>
//   }
// }
// -----
// stage: roundtrip
func.func @main(%x: tensor<1x4x4x1xf32>) -> tensor<1x2x2x1xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %pooled = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<1x4x4x1xf32>, tensor<f32>) -> tensor<1x2x2x1xf32>
  return %pooled : tensor<1x2x2x1xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<1x4x4x1xf32>) -> tensor<1x2x2x1xf32> {
//     %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
//     %pooled = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
//     ^bb0(%a: tensor<f32>, %b: tensor<f32>):
//       %m = stablehlo.maximum %a, %b : tensor<f32>
//       stablehlo.return %m : tensor<f32>
//     }) : (tensor<1x4x4x1xf32>, tensor<f32>) -> tensor<1x2x2x1xf32>
//     return %pooled : tensor<1x2x2x1xf32>
//   }
// }
// -----
// stage: roundtrip
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %sorted = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %sorted : tensor<4xf32>
}
// ==>
// module {
//   func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
//     %sorted = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
//     ^bb0(%a: tensor<f32>, %b: tensor<f32>):
//       %less = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
//       stablehlo.return %less : tensor<i1>
//     }) : (tensor<4xf32>) -> tensor<4xf32>
//     return %sorted : tensor<4xf32>
//   }
// }
