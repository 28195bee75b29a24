//! The working memory of joins. A database keeps this memory so that each join reuses it.

use crate::value::Value;

/// Buffers that each join reuses instead of allocating memory.
#[derive(Clone, Default, Debug)]
pub(crate) struct Scratch {
    pub(crate) bindings: Vec<Value>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) key: Vec<Value>,
    pub(crate) tuple: Vec<Value>,
}

/// A scan or lookup that is in progress in a join, with the row that it reads next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) step: u32,
    pub(crate) cursor: u32,
    pub(crate) end: u32,
}
