//! The elementwise operations and the small enumerations that attributes are made of.

/// Declares an enum whose variants have a text form.
macro_rules! text_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[allow(missing_docs, reason = "the variant names are the field's own names")]
        pub enum $name { $($(#[$vmeta])* $variant,)* }

        impl $name {
            /// All variants in order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The text form.
            pub const fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// The variant with this text form.
            pub fn from_text(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.text())
            }
        }
    };
}

text_enum! {
    /// Operations from one tensor to one of the same shape. `stablehlo.` ones first, then `chlo.`.
    Unary {
        Abs = "stablehlo.abs",
        Cbrt = "stablehlo.cbrt",
        Ceil = "stablehlo.ceil",
        CountLeadingZeros = "stablehlo.count_leading_zeros",
        Cosine = "stablehlo.cosine",
        Exponential = "stablehlo.exponential",
        ExponentialMinusOne = "stablehlo.exponential_minus_one",
        Floor = "stablehlo.floor",
        Imag = "stablehlo.imag",
        IsFinite = "stablehlo.is_finite",
        Log = "stablehlo.log",
        LogPlusOne = "stablehlo.log_plus_one",
        Logistic = "stablehlo.logistic",
        Negate = "stablehlo.negate",
        Not = "stablehlo.not",
        Popcnt = "stablehlo.popcnt",
        Real = "stablehlo.real",
        RoundNearestAfz = "stablehlo.round_nearest_afz",
        RoundNearestEven = "stablehlo.round_nearest_even",
        Rsqrt = "stablehlo.rsqrt",
        Sign = "stablehlo.sign",
        Sine = "stablehlo.sine",
        Sqrt = "stablehlo.sqrt",
        Tan = "stablehlo.tan",
        Tanh = "stablehlo.tanh",
        Acos = "chlo.acos",
        Acosh = "chlo.acosh",
        Asin = "chlo.asin",
        Asinh = "chlo.asinh",
        Atan = "chlo.atan",
        Atanh = "chlo.atanh",
        BesselI1e = "chlo.bessel_i1e",
        Conj = "chlo.conj",
        Cosh = "chlo.cosh",
        Digamma = "chlo.digamma",
        Erf = "chlo.erf",
        Erfc = "chlo.erfc",
        ErfInv = "chlo.erf_inv",
        IsInf = "chlo.is_inf",
        IsNegInf = "chlo.is_neg_inf",
        IsPosInf = "chlo.is_pos_inf",
        Lgamma = "chlo.lgamma",
        Sinh = "chlo.sinh",
        Square = "chlo.square",
        ChloTan = "chlo.tan",
    }
}

text_enum! {
    /// Operations from two tensors of one shape to one of that shape.
    Binary {
        Add = "stablehlo.add",
        And = "stablehlo.and",
        Atan2 = "stablehlo.atan2",
        Complex = "stablehlo.complex",
        Divide = "stablehlo.divide",
        Maximum = "stablehlo.maximum",
        Minimum = "stablehlo.minimum",
        Multiply = "stablehlo.multiply",
        Or = "stablehlo.or",
        Power = "stablehlo.power",
        Remainder = "stablehlo.remainder",
        ShiftLeft = "stablehlo.shift_left",
        ShiftRightArithmetic = "stablehlo.shift_right_arithmetic",
        ShiftRightLogical = "stablehlo.shift_right_logical",
        Subtract = "stablehlo.subtract",
        Xor = "stablehlo.xor",
        NextAfter = "chlo.next_after",
        Polygamma = "chlo.polygamma",
        Zeta = "chlo.zeta",
    }
}

text_enum! {
    /// `comparison_direction`.
    Direction { Eq = "EQ", Ne = "NE", Ge = "GE", Gt = "GT", Le = "LE", Lt = "LT", }
}

text_enum! {
    /// `compare_type`; [`CompareType::None`] when the text leaves it out.
    CompareType {
        None = "NOTYPE",
        Float = "FLOAT",
        TotalOrder = "TOTALORDER",
        Signed = "SIGNED",
        Unsigned = "UNSIGNED",
    }
}

text_enum! {
    /// Operand precision of dots and convolutions.
    Precision { Default = "DEFAULT", High = "HIGH", Highest = "HIGHEST", }
}

text_enum! {
    /// `fft_type`.
    FftType { Fft = "FFT", Ifft = "IFFT", Rfft = "RFFT", Irfft = "IRFFT", }
}

text_enum! {
    /// `rng_distribution`.
    RngDistribution { Uniform = "UNIFORM", Normal = "NORMAL", }
}

text_enum! {
    /// `rng_algorithm`.
    RngAlgorithm { Default = "DEFAULT", ThreeFry = "THREE_FRY", Philox = "PHILOX", }
}

text_enum! {
    /// `transpose_a` of `triangular_solve`.
    Transpose { No = "NO_TRANSPOSE", Yes = "TRANSPOSE", Adjoint = "ADJOINT", }
}
