//! The working memory of joins, which a database keeps so that each join reuses it.

use crate::value::Value;

/// Buffers that joins reuse.
#[derive(Clone, Default, Debug)]
pub(crate) struct Scratch {
    pub(crate) bindings: Vec<Value>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) key: Vec<Value>,
    pub(crate) tuple: Vec<Value>,
}

/// An enclosing scan or lookup and its next row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) step: u32,
    pub(crate) cursor: u32,
    pub(crate) end: u32,
}
