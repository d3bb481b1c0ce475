//! Every limit of the house, each with its reason.
//!
//! A model file is hostile until proven otherwise: whatever a file can ask for is bounded here, and
//! going one past a limit is an error value, never a panic or an unbounded allocation.

/// Dimensions of a tensor. TensorFlow stops at 254; no real model comes near 32.
pub const RANK_MAX: usize = 32;
/// Elements of a tensor that may be materialised; 2^40 keeps every byte count inside `i64`.
pub const ELEMENTS_MAX: usize = 1 << 40;
/// Bytes of one tensor that a file may make us allocate (not map): 16 GiB.
pub const TENSOR_BYTES_MAX: usize = 16 << 30;
/// Nodes of one graph or function; the largest public SavedModels have about 10^5.
pub const NODES_MAX: usize = 4_000_000;
/// Outputs of one node: a `num_split` attribute may claim any number.
pub const NODE_OUTPUTS_MAX: usize = 1 << 16;
/// Outputs of all nodes of one file together.
pub const FILE_OUTPUTS_MAX: usize = 16 << 20;
/// Functions of one library.
pub const FUNCTIONS_MAX: usize = 200_000;
/// Nested function calls while walking or inlining; real models stay below 30.
pub const CALL_DEPTH_MAX: usize = 200;
/// Nodes after inlining all calls: stops exponential call trees.
pub const INLINED_NODES_MAX: usize = 4_000_000;
/// Bytes of a protobuf file we parse in one piece (protobuf itself stops at 2 GiB).
pub const PROTO_BYTES_MAX: usize = 2 << 30;
/// Nesting of messages in text formats; prost stops binary recursion at 100 by itself.
pub const TEXT_DEPTH_MAX: usize = 200;
/// Types and attributes read through aliases of MLIR text: nested ones can stand for 2^n of them.
pub const ALIAS_NODES_MAX: usize = 1 << 20;
/// Problems of one file that are reported before the rest is only counted.
pub const PROBLEMS_MAX: usize = 50;
/// Shards of one checkpoint.
pub const SHARDS_MAX: usize = 100_000;
/// Bytes of one decoded checkpoint index block: snappy may claim any size in its header.
pub const BLOCK_BYTES_MAX: usize = 64 << 20;
/// Nesting of regions in a program: keeps recursive descent off the stack's end.
pub const REGION_DEPTH_MAX: usize = 128;
/// Elements up to which constants are folded while lowering and optimising.
pub const FOLD_ELEMENTS_MAX: usize = 1 << 16;
/// Entries of a table of positions or weights that a lowering works out while compiling: an image
/// of 16 million rows is none.
pub const POSITIONS_MAX: usize = 1 << 24;
/// Iterations of one `while` in the interpreter before it asks whether it was cancelled.
pub const LOOP_POLL_ITERATIONS: u64 = 64;
/// Nested calls of functions in the interpreter.
pub const EVAL_DEPTH_MAX: usize = 256;
/// Bytes of an image, array or text input file.
pub const INPUT_FILE_BYTES_MAX: u64 = 4 << 30;
/// Pixels of an image before decoding: a small PNG may claim 2^62.
pub const IMAGE_PIXELS_MAX: u64 = 1 << 28;
/// Bytes of one key of a checkpoint index; TensorFlow's names have hundreds.
pub const CHECKPOINT_KEY_BYTES_MAX: usize = 64 << 10;
/// Bytes of one entry of a checkpoint index: a variable in 10^4 slices takes half of it.
pub const CHECKPOINT_ENTRY_BYTES_MAX: usize = 1 << 20;
/// Bytes of all blocks, and of all keys, of a checkpoint index; one of 10^6 tensors takes half.
pub const CHECKPOINT_INDEX_BYTES_MAX: usize = 256 << 20;
/// Slices of one partitioned variable.
pub const SLICES_MAX: usize = 1 << 16;
/// Length of a Fourier transform: working memory is up to eight times 16 bytes an element.
pub const FFT_LENGTH_MAX: usize = 1 << 25;
/// Bytes of a model's JSON: parsed, it takes up to eighty times as much.
pub const JSON_BYTES_MAX: usize = 64 << 20;
/// Bytes of values alive at a time in the interpreter unless an option says otherwise: four tensors
/// of the largest size.
pub const EVAL_BYTES_MAX: usize = 64 << 30;
/// Participants of a parallel run in the interpreter; each is a thread.
pub const PARTICIPANTS_MAX: usize = 256;
/// Values and receivers that wait in the rendezvous of one step; TensorFlow's graphs have hundreds.
pub const RENDEZVOUS_ENTRIES_MAX: usize = 1 << 16;
/// Kernels of one step that wait for others at a time; each is a thread.
pub const BLOCKED_KERNELS_MAX: usize = 256;
/// Iterations of one loop of TensorFlow 1: at a microsecond each, more than an hour. Such a loop
/// can be cancelled long before.
pub const LOOP_ITERATIONS_MAX: u64 = 1 << 32;
