//! The text of machine code, pinned, and what can't be emitted.
#![allow(clippy::unwrap_used, reason = "tests")]

use tfjit_base::Code;
use tfjit_codegen::{Target, asm_text, emit};
use tfjit_plan::kernel::Kernel;

const RELU: &str = "\
kernel @relu over columns {
  s0: in f32 unit
  s1: out f32 unit
  each:
    v0: f32 = load s0
    v1: f32 = const 0.0
    v2: f32 = max_fast v0, v1
    store s1, v2
}
";

const RELU_ASM: &str = "\
; x86-64-avx2

relu:
       0  mov rax,rsp
       3  sub rsp,0x80
       a  and rsp,-0x40
       e  mov [rsp],rax
      12  mov rsi,[rdi]
      15  test rsi,rsi
      18  je .L0
      1e  mov r8,[rdi+0x20]
      22  mov r9,[rdi+0x38]
.L1:
      26  vmovups ymm0,[pool+0]
      2e  xor ecx,ecx
      30  mov rdx,[rdi+8]
      34  sub rdx,0x20
      38  cmp rcx,rdx
      3b  jg .L3
.L2:
      60  vmovups ymm1,[r8+rcx*4]
      66  vmaxps ymm1,ymm1,ymm0
      6a  vmovups [r9+rcx*4],ymm1
      70  vmovups ymm1,[r8+rcx*4+0x20]
      77  vmaxps ymm1,ymm1,ymm0
      7b  vmovups [r9+rcx*4+0x20],ymm1
";

#[test]
fn text_of_a_small_kernel() {
    let text = asm_text(&[&Kernel::parse(RELU).unwrap()], Target::X64Avx2);
    let end = text.match_indices('\n').nth(RELU_ASM.lines().count() - 1).unwrap().0;
    assert_eq!(&text[..=end], RELU_ASM);
    assert!(text.ends_with("  ret\n"), "{text}");
}

#[test]
fn entries_are_aligned_and_what_is_not_expanded_has_none() {
    let relu = Kernel::parse(RELU).unwrap();
    let tanh = Kernel::parse(&RELU.replace("max_fast v0, v1", "tanh v0")).unwrap();
    let emitted = emit(&[&relu, &tanh, &relu], Target::X64Avx2).unwrap();
    assert_eq!(emitted.artifact.target, "x86-64-avx2");
    assert_eq!(emitted.entries[0], Ok(0));
    assert_eq!(emitted.entries[2], Ok(1));
    let error = emitted.entries[1].as_ref().unwrap_err();
    assert_eq!(error.code(), Code::Unimplemented);
    assert_eq!(error.node(), Some("kernel relu"));
    let [first, second] = &emitted.artifact.entries[..] else { panic!("two entries") };
    assert_eq!((first.offset, second.offset % 64), (0, 0));
    assert_eq!(second.offset + second.bytes, emitted.artifact.code.len());
    let bytes =
        |e: &tfjit_plan::Entry| emitted.artifact.code[e.offset..e.offset + e.bytes].to_vec();
    assert_eq!(bytes(first), bytes(second), "code does not depend on its place");
    let text = asm_text(&[&tanh], Target::X64Avx2);
    assert!(text.contains("; not emitted: UNIMPLEMENTED: operation tanh"), "{text}");
}
