//! Numbers that fit into 64 bits.

use super::{Failed, Parser, Result};

pub(super) enum Number {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
}

impl Parser<'_> {
    #[inline]
    pub(super) fn number(&mut self) -> Result<Number> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let negative = bytes.get(self.at) == Some(&b'-');
        self.at += usize::from(negative);
        let digits = self.at;
        let mut value: u64 = 0;
        while let Some(digit @ b'0'..=b'9') = bytes.get(self.at) {
            let digit = u64::from(digit - b'0');
            value = value
                .checked_mul(10)
                .and_then(|v| v.checked_add(digit))
                .ok_or(Failed)?;
            self.at += 1;
        }
        let count = self.at - digits;
        if count == 0 || (count > 1 && bytes[digits] == b'0') {
            return Err(Failed);
        }
        if matches!(bytes.get(self.at), Some(b'.' | b'e' | b'E')) {
            return self.float(start);
        }
        match (negative, value) {
            (false, _) => Ok(Number::Unsigned(value)),
            (true, 0) => Ok(Number::Float(-0.0)),
            (true, _) => 0_i64
                .checked_sub_unsigned(value)
                .map(Number::Signed)
                .ok_or(Failed),
        }
    }

    /// Reads the rest of a number that has a fraction or an exponent.
    fn float(&mut self, start: usize) -> Result<Number> {
        let bytes = self.text.as_bytes();
        if bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(bytes.get(self.at), Some(b'+' | b'-')));
            self.digits()?;
        }
        let float: f64 = self.text[start..self.at].parse().map_err(|_| Failed)?;
        if float.is_finite() {
            Ok(Number::Float(float))
        } else {
            Err(Failed)
        }
    }

    fn digits(&mut self) -> Result<()> {
        let from = self.at;
        while matches!(self.text.as_bytes().get(self.at), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at > from { Ok(()) } else { Err(Failed) }
    }
}
