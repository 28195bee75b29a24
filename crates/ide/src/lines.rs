//! Lines and columns of offsets in a text, in UTF-8 and in UTF-16.
//!
//! Invariants: LF, CRLF and a lone CR each end one line. Every position has an offset: a line beyond the last one is the
//! end of the text, a column beyond the line is the end of the line, and a column inside a character is the start of
//! that character. Building takes linear time; each question takes logarithmic time, however long a line is.

use std::ops::Range;

/// The distance in bytes between two stored UTF-16 offsets.
const STRIDE: usize = 128;

/// The unit in which columns are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Code units of UTF-16: two for characters beyond the basic plane. The default of language servers, and the unit of
    /// strings in a browser.
    #[default]
    Utf16,
}

/// A line and a column, both from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Position {
    /// The line, from 0.
    pub line: u32,
    /// The column, from 0, in the units of an [`Encoding`].
    pub column: u32,
}

/// The lines of one text.
#[derive(Clone, Debug)]
pub struct LineIndex {
    /// The offset of the first byte of each line.
    starts: Vec<usize>,
    /// For each multiple of [`STRIDE`], the number of UTF-16 code units before it. Empty if the text is ASCII.
    units: Vec<usize>,
    length: usize,
}

impl LineIndex {
    /// Scans `text` for line ends.
    pub fn new(text: &str) -> LineIndex {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (i, &byte) in bytes.iter().enumerate() {
            if byte == b'\n' || (byte == b'\r' && bytes.get(i + 1) != Some(&b'\n')) {
                starts.push(i + 1);
            }
        }
        let mut units = Vec::new();
        if !text.is_ascii() {
            let mut count = 0;
            for chunk in bytes.chunks(STRIDE) {
                units.push(count);
                count += chunk.iter().map(|&byte| units_of(byte)).sum::<usize>();
            }
            units.push(count);
        }
        LineIndex { starts, units, length: bytes.len() }
    }

    /// The number of lines; at least 1.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line, from 0, that contains the byte at `offset`.
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    /// The offset of the first byte of a line. The end of the text if there is no such line.
    pub fn start_of(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.length)
    }

    /// The bytes of a line without its line end.
    pub fn range_of(&self, text: &str, line: usize) -> Range<usize> {
        let (start, end) = (self.start_of(line), self.start_of(line + 1));
        start..start + text[start..end].trim_end_matches(['\r', '\n']).len()
    }

    /// The number of UTF-16 code units before the byte at `offset`. Offsets beyond the end count as the end.
    pub fn to_utf16(&self, text: &str, offset: usize) -> usize {
        let offset = offset.min(self.length);
        if self.units.is_empty() {
            return offset;
        }
        let mark = offset / STRIDE;
        let rest = &text.as_bytes()[mark * STRIDE..offset];
        self.units[mark] + rest.iter().map(|&byte| units_of(byte)).sum::<usize>()
    }

    /// The offset of the character that contains the UTF-16 code unit `unit`, counted from the start of the text.
    pub fn from_utf16(&self, text: &str, unit: usize) -> usize {
        if self.units.is_empty() {
            return unit.min(self.length);
        }
        let mark = self.units.partition_point(|&before| before <= unit).saturating_sub(1);
        let mut offset = (mark * STRIDE).min(self.length);
        let mut count = self.units[mark];
        for &byte in &text.as_bytes()[offset..] {
            if count + units_of(byte) > unit {
                break;
            }
            count += units_of(byte);
            offset += 1;
        }
        floor(text, offset)
    }

    /// The position of the byte at `offset`. Offsets beyond the end count as the end.
    pub fn position(&self, text: &str, offset: usize, encoding: Encoding) -> Position {
        let offset = offset.min(self.length);
        let line = self.line_of(offset);
        let start = self.starts[line];
        let column = match encoding {
            Encoding::Utf8 => offset - start,
            Encoding::Utf16 => self.to_utf16(text, offset) - self.to_utf16(text, start),
        };
        Position { line: line as u32, column: column as u32 }
    }

    /// The offset of a position.
    pub fn offset(&self, text: &str, position: Position, encoding: Encoding) -> usize {
        let line = position.line as usize;
        if line >= self.count() {
            return self.length;
        }
        let range = self.range_of(text, line);
        let column = position.column as usize;
        let offset = match encoding {
            Encoding::Utf8 => floor(text, range.start.saturating_add(column).min(range.end)),
            Encoding::Utf16 => self.from_utf16(text, self.to_utf16(text, range.start).saturating_add(column)),
        };
        offset.min(range.end)
    }
}

/// The UTF-16 code units that a character adds, charged to its first byte.
fn units_of(byte: u8) -> usize {
    match byte {
        0x80..0xc0 => 0,
        0xf0.. => 2,
        _ => 1,
    }
}

/// The largest boundary of a character that is not beyond `offset`.
fn floor(text: &str, offset: usize) -> usize {
    (0..=offset).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_bytes_or_code_units() {
        let text = "a\r\né𝄞x\rb\n";
        let lines = LineIndex::new(text);
        assert_eq!(lines.count(), 4);
        let x = text.find('x').unwrap();
        assert_eq!(lines.position(text, x, Encoding::Utf8), Position { line: 1, column: 6 });
        assert_eq!(lines.position(text, x, Encoding::Utf16), Position { line: 1, column: 3 });
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            for (at, _) in text.char_indices().filter(|(_, c)| *c != '\n') {
                assert_eq!(lines.offset(text, lines.position(text, at, encoding), encoding), at);
            }
        }
    }

    #[test]
    fn every_position_has_an_offset() {
        let text = "a\r\né𝄞x\rb\n";
        let lines = LineIndex::new(text);
        let at = |line, column, encoding| lines.offset(text, Position { line, column }, encoding);
        assert_eq!(at(0, 99, Encoding::Utf16), 1, "a column beyond the line is its end");
        assert_eq!(at(99, 0, Encoding::Utf8), text.len());
        assert_eq!(at(1, 2, Encoding::Utf16), text.find('𝄞').unwrap(), "inside a surrogate pair");
        assert_eq!(at(1, 1, Encoding::Utf8), text.find('é').unwrap(), "inside a character");
        assert_eq!(at(1, u32::MAX, Encoding::Utf16), text.find("\rb").unwrap());
    }

    #[test]
    fn long_lines_agree_with_counting() {
        let text = "𝄞é x".repeat(500);
        let lines = LineIndex::new(&text);
        for (at, _) in text.char_indices() {
            let units = text[..at].encode_utf16().count();
            assert_eq!(lines.to_utf16(&text, at), units);
            assert_eq!(lines.from_utf16(&text, units), at);
        }
        assert_eq!(lines.from_utf16(&text, usize::MAX), text.len());
    }
}
