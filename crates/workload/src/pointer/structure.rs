//! Sizes of C structures.

/// The contents of a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// Four bytes.
    Int,
    /// Eight bytes, aligned to eight.
    Double,
    /// As many bytes as the target's pointers.
    Pointer,
}

/// The size of a structure of these fields in this order, each aligned to itself and the
/// whole to its widest.
pub(super) fn size(pointer: u64, fields: &[Field]) -> u64 {
    let width = |field: &Field| match field {
        Field::Int => 4,
        Field::Double => 8,
        Field::Pointer => pointer,
    };
    let widest = fields.iter().map(width).max().unwrap_or(1);
    let end = fields.iter().fold(0_u64, |end, field| end.next_multiple_of(width(field)) + width(field));
    end.next_multiple_of(widest)
}

#[cfg(test)]
mod tests {
    use super::Field::{Double, Int, Pointer};
    use super::*;

    #[test]
    fn fields_are_aligned_to_themselves_and_the_whole_to_the_widest() {
        assert_eq!(size(8, &[Int, Pointer, Pointer]), 24);
        assert_eq!(size(4, &[Int, Pointer, Pointer]), 12);
        assert_eq!(size(4, &[Int, Double, Int]), 24);
        assert_eq!(size(8, &[Pointer, Int]), 16);
    }
}
