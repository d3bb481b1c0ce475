// stage: run

// Integers of every width wrap; division by zero and long shifts have the results that XLA gives.

func.func @of_i4() {
  %x = stablehlo.constant dense<[7, -8, 3, -1]> : tensor<4xi4>
  %y = stablehlo.constant dense<[1, -8, 2, 5]> : tensor<4xi4>
  %add = stablehlo.add %x, %y : tensor<4xi4>
  %subtract = stablehlo.subtract %x, %y : tensor<4xi4>
  %multiply = stablehlo.multiply %x, %y : tensor<4xi4>
  %maximum = stablehlo.maximum %x, %y : tensor<4xi4>
  %minimum = stablehlo.minimum %x, %y : tensor<4xi4>
  %and = stablehlo.and %x, %y : tensor<4xi4>
  %or = stablehlo.or %x, %y : tensor<4xi4>
  %xor = stablehlo.xor %x, %y : tensor<4xi4>
  %shift_left = stablehlo.shift_left %x, %y : tensor<4xi4>
  %shift_right_arithmetic = stablehlo.shift_right_arithmetic %x, %y : tensor<4xi4>
  %shift_right_logical = stablehlo.shift_right_logical %x, %y : tensor<4xi4>
  %negate = stablehlo.negate %x : tensor<4xi4>
  %not = stablehlo.not %x : tensor<4xi4>
  %popcnt = stablehlo.popcnt %x : tensor<4xi4>
  %count_leading_zeros = stablehlo.count_leading_zeros %x : tensor<4xi4>
  %abs = stablehlo.abs %x : tensor<4xi4>
  %sign = stablehlo.sign %x : tensor<4xi4>
  check.expect_eq_const %add, dense<[-8, 0, 5, 4]> : tensor<4xi4>
  check.expect_eq_const %subtract, dense<[6, 0, 1, -6]> : tensor<4xi4>
  check.expect_eq_const %multiply, dense<[7, 0, 6, -5]> : tensor<4xi4>
  check.expect_eq_const %maximum, dense<[7, -8, 3, 5]> : tensor<4xi4>
  check.expect_eq_const %minimum, dense<[1, -8, 2, -1]> : tensor<4xi4>
  check.expect_eq_const %and, dense<[1, -8, 2, 5]> : tensor<4xi4>
  check.expect_eq_const %or, dense<[7, -8, 3, -1]> : tensor<4xi4>
  check.expect_eq_const %xor, dense<[6, 0, 1, -6]> : tensor<4xi4>
  check.expect_eq_const %shift_left, dense<[-2, 0, -4, 0]> : tensor<4xi4>
  check.expect_eq_const %shift_right_arithmetic, dense<[3, -1, 0, -1]> : tensor<4xi4>
  check.expect_eq_const %shift_right_logical, dense<[3, 0, 0, 0]> : tensor<4xi4>
  check.expect_eq_const %negate, dense<[-7, -8, -3, 1]> : tensor<4xi4>
  check.expect_eq_const %not, dense<[-8, 7, -4, 0]> : tensor<4xi4>
  check.expect_eq_const %popcnt, dense<[3, 1, 2, 4]> : tensor<4xi4>
  check.expect_eq_const %count_leading_zeros, dense<[1, 0, 2, 0]> : tensor<4xi4>
  check.expect_eq_const %abs, dense<[7, -8, 3, 1]> : tensor<4xi4>
  check.expect_eq_const %sign, dense<[1, -1, 1, -1]> : tensor<4xi4>
  return
}

func.func @of_i8() {
  %x = stablehlo.constant dense<[127, -128, 100, -7]> : tensor<4xi8>
  %y = stablehlo.constant dense<[1, -1, 3, 2]> : tensor<4xi8>
  %add = stablehlo.add %x, %y : tensor<4xi8>
  %subtract = stablehlo.subtract %x, %y : tensor<4xi8>
  %multiply = stablehlo.multiply %x, %y : tensor<4xi8>
  %maximum = stablehlo.maximum %x, %y : tensor<4xi8>
  %minimum = stablehlo.minimum %x, %y : tensor<4xi8>
  %and = stablehlo.and %x, %y : tensor<4xi8>
  %or = stablehlo.or %x, %y : tensor<4xi8>
  %xor = stablehlo.xor %x, %y : tensor<4xi8>
  %shift_left = stablehlo.shift_left %x, %y : tensor<4xi8>
  %shift_right_arithmetic = stablehlo.shift_right_arithmetic %x, %y : tensor<4xi8>
  %shift_right_logical = stablehlo.shift_right_logical %x, %y : tensor<4xi8>
  %negate = stablehlo.negate %x : tensor<4xi8>
  %not = stablehlo.not %x : tensor<4xi8>
  %popcnt = stablehlo.popcnt %x : tensor<4xi8>
  %count_leading_zeros = stablehlo.count_leading_zeros %x : tensor<4xi8>
  %abs = stablehlo.abs %x : tensor<4xi8>
  %sign = stablehlo.sign %x : tensor<4xi8>
  check.expect_eq_const %add, dense<[-128, 127, 103, -5]> : tensor<4xi8>
  check.expect_eq_const %subtract, dense<[126, -127, 97, -9]> : tensor<4xi8>
  check.expect_eq_const %multiply, dense<[127, -128, 44, -14]> : tensor<4xi8>
  check.expect_eq_const %maximum, dense<[127, -1, 100, 2]> : tensor<4xi8>
  check.expect_eq_const %minimum, dense<[1, -128, 3, -7]> : tensor<4xi8>
  check.expect_eq_const %and, dense<[1, -128, 0, 0]> : tensor<4xi8>
  check.expect_eq_const %or, dense<[127, -1, 103, -5]> : tensor<4xi8>
  check.expect_eq_const %xor, dense<[126, 127, 103, -5]> : tensor<4xi8>
  check.expect_eq_const %shift_left, dense<[-2, 0, 32, -28]> : tensor<4xi8>
  check.expect_eq_const %shift_right_arithmetic, dense<[63, -1, 12, -2]> : tensor<4xi8>
  check.expect_eq_const %shift_right_logical, dense<[63, 0, 12, 62]> : tensor<4xi8>
  check.expect_eq_const %negate, dense<[-127, -128, -100, 7]> : tensor<4xi8>
  check.expect_eq_const %not, dense<[-128, 127, -101, 6]> : tensor<4xi8>
  check.expect_eq_const %popcnt, dense<[7, 1, 3, 6]> : tensor<4xi8>
  check.expect_eq_const %count_leading_zeros, dense<[1, 0, 1, 0]> : tensor<4xi8>
  check.expect_eq_const %abs, dense<[127, -128, 100, 7]> : tensor<4xi8>
  check.expect_eq_const %sign, dense<[1, -1, 1, -1]> : tensor<4xi8>
  return
}

func.func @of_ui8() {
  %x = stablehlo.constant dense<[255, 0, 200, 7]> : tensor<4xui8>
  %y = stablehlo.constant dense<[1, 1, 100, 3]> : tensor<4xui8>
  %add = stablehlo.add %x, %y : tensor<4xui8>
  %subtract = stablehlo.subtract %x, %y : tensor<4xui8>
  %multiply = stablehlo.multiply %x, %y : tensor<4xui8>
  %maximum = stablehlo.maximum %x, %y : tensor<4xui8>
  %minimum = stablehlo.minimum %x, %y : tensor<4xui8>
  %and = stablehlo.and %x, %y : tensor<4xui8>
  %or = stablehlo.or %x, %y : tensor<4xui8>
  %xor = stablehlo.xor %x, %y : tensor<4xui8>
  %shift_left = stablehlo.shift_left %x, %y : tensor<4xui8>
  %shift_right_arithmetic = stablehlo.shift_right_arithmetic %x, %y : tensor<4xui8>
  %shift_right_logical = stablehlo.shift_right_logical %x, %y : tensor<4xui8>
  %power = stablehlo.power %x, %y : tensor<4xui8>
  %negate = stablehlo.negate %x : tensor<4xui8>
  %not = stablehlo.not %x : tensor<4xui8>
  %popcnt = stablehlo.popcnt %x : tensor<4xui8>
  %count_leading_zeros = stablehlo.count_leading_zeros %x : tensor<4xui8>
  check.expect_eq_const %add, dense<[0, 1, 44, 10]> : tensor<4xui8>
  check.expect_eq_const %subtract, dense<[254, 255, 100, 4]> : tensor<4xui8>
  check.expect_eq_const %multiply, dense<[255, 0, 32, 21]> : tensor<4xui8>
  check.expect_eq_const %maximum, dense<[255, 1, 200, 7]> : tensor<4xui8>
  check.expect_eq_const %minimum, dense<[1, 0, 100, 3]> : tensor<4xui8>
  check.expect_eq_const %and, dense<[1, 0, 64, 3]> : tensor<4xui8>
  check.expect_eq_const %or, dense<[255, 1, 236, 7]> : tensor<4xui8>
  check.expect_eq_const %xor, dense<[254, 1, 172, 4]> : tensor<4xui8>
  check.expect_eq_const %shift_left, dense<[254, 0, 0, 56]> : tensor<4xui8>
  check.expect_eq_const %shift_right_arithmetic, dense<[255, 0, 255, 0]> : tensor<4xui8>
  check.expect_eq_const %shift_right_logical, dense<[127, 0, 0, 0]> : tensor<4xui8>
  check.expect_eq_const %power, dense<[255, 0, 0, 87]> : tensor<4xui8>
  check.expect_eq_const %negate, dense<[1, 0, 56, 249]> : tensor<4xui8>
  check.expect_eq_const %not, dense<[0, 255, 55, 248]> : tensor<4xui8>
  check.expect_eq_const %popcnt, dense<[8, 0, 3, 3]> : tensor<4xui8>
  check.expect_eq_const %count_leading_zeros, dense<[0, 8, 0, 5]> : tensor<4xui8>
  return
}

func.func @of_i32() {
  %x = stablehlo.constant dense<[2147483647, -2147483648, -7, 40]> : tensor<4xi32>
  %y = stablehlo.constant dense<[1, -1, 2, 3]> : tensor<4xi32>
  %add = stablehlo.add %x, %y : tensor<4xi32>
  %subtract = stablehlo.subtract %x, %y : tensor<4xi32>
  %multiply = stablehlo.multiply %x, %y : tensor<4xi32>
  %maximum = stablehlo.maximum %x, %y : tensor<4xi32>
  %minimum = stablehlo.minimum %x, %y : tensor<4xi32>
  %and = stablehlo.and %x, %y : tensor<4xi32>
  %or = stablehlo.or %x, %y : tensor<4xi32>
  %xor = stablehlo.xor %x, %y : tensor<4xi32>
  %shift_left = stablehlo.shift_left %x, %y : tensor<4xi32>
  %shift_right_arithmetic = stablehlo.shift_right_arithmetic %x, %y : tensor<4xi32>
  %shift_right_logical = stablehlo.shift_right_logical %x, %y : tensor<4xi32>
  %negate = stablehlo.negate %x : tensor<4xi32>
  %not = stablehlo.not %x : tensor<4xi32>
  %popcnt = stablehlo.popcnt %x : tensor<4xi32>
  %count_leading_zeros = stablehlo.count_leading_zeros %x : tensor<4xi32>
  %abs = stablehlo.abs %x : tensor<4xi32>
  %sign = stablehlo.sign %x : tensor<4xi32>
  check.expect_eq_const %add, dense<[-2147483648, 2147483647, -5, 43]> : tensor<4xi32>
  check.expect_eq_const %subtract, dense<[2147483646, -2147483647, -9, 37]> : tensor<4xi32>
  check.expect_eq_const %multiply, dense<[2147483647, -2147483648, -14, 120]> : tensor<4xi32>
  check.expect_eq_const %maximum, dense<[2147483647, -1, 2, 40]> : tensor<4xi32>
  check.expect_eq_const %minimum, dense<[1, -2147483648, -7, 3]> : tensor<4xi32>
  check.expect_eq_const %and, dense<[1, -2147483648, 0, 0]> : tensor<4xi32>
  check.expect_eq_const %or, dense<[2147483647, -1, -5, 43]> : tensor<4xi32>
  check.expect_eq_const %xor, dense<[2147483646, 2147483647, -5, 43]> : tensor<4xi32>
  check.expect_eq_const %shift_left, dense<[-2, 0, -28, 320]> : tensor<4xi32>
  check.expect_eq_const %shift_right_arithmetic, dense<[1073741823, -1, -2, 5]> : tensor<4xi32>
  check.expect_eq_const %shift_right_logical, dense<[1073741823, 0, 1073741822, 5]> : tensor<4xi32>
  check.expect_eq_const %negate, dense<[-2147483647, -2147483648, 7, -40]> : tensor<4xi32>
  check.expect_eq_const %not, dense<[-2147483648, 2147483647, 6, -41]> : tensor<4xi32>
  check.expect_eq_const %popcnt, dense<[31, 1, 30, 2]> : tensor<4xi32>
  check.expect_eq_const %count_leading_zeros, dense<[1, 0, 0, 26]> : tensor<4xi32>
  check.expect_eq_const %abs, dense<[2147483647, -2147483648, 7, 40]> : tensor<4xi32>
  check.expect_eq_const %sign, dense<[1, -1, -1, 1]> : tensor<4xi32>
  return
}

func.func @of_ui64() {
  %x = stablehlo.constant dense<[18446744073709551615, 0, 5, 9]> : tensor<4xui64>
  %y = stablehlo.constant dense<[1, 1, 7, 2]> : tensor<4xui64>
  %add = stablehlo.add %x, %y : tensor<4xui64>
  %subtract = stablehlo.subtract %x, %y : tensor<4xui64>
  %multiply = stablehlo.multiply %x, %y : tensor<4xui64>
  %maximum = stablehlo.maximum %x, %y : tensor<4xui64>
  %minimum = stablehlo.minimum %x, %y : tensor<4xui64>
  %and = stablehlo.and %x, %y : tensor<4xui64>
  %or = stablehlo.or %x, %y : tensor<4xui64>
  %xor = stablehlo.xor %x, %y : tensor<4xui64>
  %shift_left = stablehlo.shift_left %x, %y : tensor<4xui64>
  %shift_right_arithmetic = stablehlo.shift_right_arithmetic %x, %y : tensor<4xui64>
  %shift_right_logical = stablehlo.shift_right_logical %x, %y : tensor<4xui64>
  %power = stablehlo.power %x, %y : tensor<4xui64>
  %negate = stablehlo.negate %x : tensor<4xui64>
  %not = stablehlo.not %x : tensor<4xui64>
  %popcnt = stablehlo.popcnt %x : tensor<4xui64>
  %count_leading_zeros = stablehlo.count_leading_zeros %x : tensor<4xui64>
  check.expect_eq_const %add, dense<[0, 1, 12, 11]> : tensor<4xui64>
  check.expect_eq_const %subtract, dense<[18446744073709551614, 18446744073709551615, 18446744073709551614, 7]> : tensor<4xui64>
  check.expect_eq_const %multiply, dense<[18446744073709551615, 0, 35, 18]> : tensor<4xui64>
  check.expect_eq_const %maximum, dense<[18446744073709551615, 1, 7, 9]> : tensor<4xui64>
  check.expect_eq_const %minimum, dense<[1, 0, 5, 2]> : tensor<4xui64>
  check.expect_eq_const %and, dense<[1, 0, 5, 0]> : tensor<4xui64>
  check.expect_eq_const %or, dense<[18446744073709551615, 1, 7, 11]> : tensor<4xui64>
  check.expect_eq_const %xor, dense<[18446744073709551614, 1, 2, 11]> : tensor<4xui64>
  check.expect_eq_const %shift_left, dense<[18446744073709551614, 0, 640, 36]> : tensor<4xui64>
  check.expect_eq_const %shift_right_arithmetic, dense<[18446744073709551615, 0, 0, 2]> : tensor<4xui64>
  check.expect_eq_const %shift_right_logical, dense<[9223372036854775807, 0, 0, 2]> : tensor<4xui64>
  check.expect_eq_const %power, dense<[18446744073709551615, 0, 78125, 81]> : tensor<4xui64>
  check.expect_eq_const %negate, dense<[1, 0, 18446744073709551611, 18446744073709551607]> : tensor<4xui64>
  check.expect_eq_const %not, dense<[0, 18446744073709551615, 18446744073709551610, 18446744073709551606]> : tensor<4xui64>
  check.expect_eq_const %popcnt, dense<[64, 0, 2, 2]> : tensor<4xui64>
  check.expect_eq_const %count_leading_zeros, dense<[0, 64, 61, 60]> : tensor<4xui64>
  return
}

func.func @division_i32() {
  %x = stablehlo.constant dense<[7, -7, 7, -2147483648, 0]> : tensor<5xi32>
  %y = stablehlo.constant dense<[2, 2, 0, -1, 0]> : tensor<5xi32>
  %q = stablehlo.divide %x, %y : tensor<5xi32>
  %r = stablehlo.remainder %x, %y : tensor<5xi32>
  check.expect_eq_const %q, dense<[3, -3, -1, -2147483648, -1]> : tensor<5xi32>
  check.expect_eq_const %r, dense<[1, -1, 7, 0, 0]> : tensor<5xi32>
  return
}

func.func @division_ui8() {
  %x = stablehlo.constant dense<[200, 7, 0]> : tensor<3xui8>
  %y = stablehlo.constant dense<[7, 0, 0]> : tensor<3xui8>
  %q = stablehlo.divide %x, %y : tensor<3xui8>
  %r = stablehlo.remainder %x, %y : tensor<3xui8>
  check.expect_eq_const %q, dense<[28, 255, 255]> : tensor<3xui8>
  check.expect_eq_const %r, dense<[4, 7, 0]> : tensor<3xui8>
  return
}

func.func @negative_powers() {
  %x = stablehlo.constant dense<[1, -1, -1, 2, 0]> : tensor<5xi32>
  %y = stablehlo.constant dense<[-3, -3, -2, -1, -1]> : tensor<5xi32>
  %r = stablehlo.power %x, %y : tensor<5xi32>
  check.expect_eq_const %r, dense<[1, -1, 1, 0, 0]> : tensor<5xi32>
  return
}

// Amounts outside the width shift everything out; the arithmetic shift leaves the sign.
func.func @long_shifts() {
  %x = stablehlo.constant dense<[1, -8, -8, -8]> : tensor<4xi8>
  %y = stablehlo.constant dense<[8, 8, 100, -1]> : tensor<4xi8>
  %a = stablehlo.shift_left %x, %y : tensor<4xi8>
  %b = stablehlo.shift_right_logical %x, %y : tensor<4xi8>
  %c = stablehlo.shift_right_arithmetic %x, %y : tensor<4xi8>
  check.expect_eq_const %a, dense<[0, 0, 0, 0]> : tensor<4xi8>
  check.expect_eq_const %b, dense<[0, 0, 0, 0]> : tensor<4xi8>
  check.expect_eq_const %c, dense<[0, -1, -1, -1]> : tensor<4xi8>
  return
}

func.func @booleans() {
  %x = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %y = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %add = stablehlo.add %x, %y : tensor<4xi1>
  %multiply = stablehlo.multiply %x, %y : tensor<4xi1>
  %maximum = stablehlo.maximum %x, %y : tensor<4xi1>
  %minimum = stablehlo.minimum %x, %y : tensor<4xi1>
  %and = stablehlo.and %x, %y : tensor<4xi1>
  %or = stablehlo.or %x, %y : tensor<4xi1>
  %xor = stablehlo.xor %x, %y : tensor<4xi1>
  %not = stablehlo.not %x : tensor<4xi1>
  check.expect_eq_const %add, dense<[false, true, true, true]> : tensor<4xi1>
  check.expect_eq_const %multiply, dense<[false, false, false, true]> : tensor<4xi1>
  check.expect_eq_const %maximum, dense<[false, true, true, true]> : tensor<4xi1>
  check.expect_eq_const %minimum, dense<[false, false, false, true]> : tensor<4xi1>
  check.expect_eq_const %and, dense<[false, false, false, true]> : tensor<4xi1>
  check.expect_eq_const %or, dense<[false, true, true, true]> : tensor<4xi1>
  check.expect_eq_const %xor, dense<[false, true, true, false]> : tensor<4xi1>
  check.expect_eq_const %not, dense<[true, true, false, false]> : tensor<4xi1>
  return
}
