//! Line and column numbers of byte positions.
//!
//! Invariant: LF, CRLF and a lone CR each end one line. Many published rulesheets use a lone CR.

use std::ops::Range;

/// A text and the offsets at which its lines start.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    source: &'a [u8],
    starts: Vec<usize>,
}

/// A line number and a column number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl<'a> Lines<'a> {
    /// Scans `source` for line ends.
    pub fn new(source: &'a [u8]) -> Self {
        let mut starts = vec![0];
        for (i, &byte) in source.iter().enumerate() {
            if byte == b'\n' || (byte == b'\r' && source.get(i + 1) != Some(&b'\n')) {
                starts.push(i + 1);
            }
        }
        Lines { source, starts }
    }

    /// The index, from 0, of the line that contains the byte at offset `at`.
    pub(crate) fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|&start| start <= at) - 1
    }

    /// The range of bytes of the line with the index `line`, from 0, without its line end.
    pub(crate) fn range(&self, line: usize) -> Range<usize> {
        let start = self.starts[line];
        let mut end = self.starts.get(line + 1).copied().unwrap_or(self.source.len());
        while end > start && matches!(self.source[end - 1], b'\r' | b'\n') {
            end -= 1;
        }
        start..end
    }

    /// The line and column of the byte at offset `at`. An offset beyond the last byte counts as the offset
    /// just after the last byte.
    pub fn position(&self, at: usize) -> LineColumn {
        let at = at.min(self.source.len());
        let line = self.line_of(at);
        let before = &self.source[self.starts[line]..at];
        // Count the bytes that do not continue a UTF-8 character.
        let characters = before.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        LineColumn { line: line + 1, column: characters + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_line_end_counts_once() {
        let source = b"a\rb\r\nc\n\nd\xc3\xa9x";
        let lines = Lines::new(source);
        let place = |at| {
            let LineColumn { line, column } = lines.position(at);
            (line, column)
        };
        assert_eq!([0, 2, 5, 8, 11, 12].map(place), [(1, 1), (2, 1), (3, 1), (5, 1), (5, 3), (5, 4)]);
        assert_eq!(lines.range(1), 2..3);
        assert_eq!(lines.range(3), 7..7);
        assert_eq!(place(1000), (5, 4));
    }
}
