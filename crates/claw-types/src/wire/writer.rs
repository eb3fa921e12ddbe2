//! The fast path's own writer of JSON.
//!
//! Writes the very bytes that `serde_json` writes, but for what would not be one line for every
//! reader. What it does not care to write (a map whose keys are no texts, numbers beyond 64 bits)
//! it gives up on without saying why, and `serde_json` writes the value, or says what is wrong with
//! it. A test compares the two.

mod text;

use serde::ser::{self, Serialize, Serializer};

use super::gave_up::GaveUp;
use super::name::NAME;

type Result<T = ()> = std::result::Result<T, GaveUp>;

/// Appends a value as one line of JSON. On an error `out` is as it was.
pub(crate) fn append_line<T: Serialize + ?Sized>(
    value: &T,
    out: &mut Vec<u8>,
) -> std::result::Result<(), serde_json::Error> {
    let start = out.len();
    let form = Form::Text;
    if value.serialize(&mut Writer { out, form }).is_ok() {
        return Ok(());
    }
    out.truncate(start);
    let json = serde_json::to_string(value)?;
    text::raw(out, &json);
    Ok(())
}

/// Writes one value.
struct Writer<'a> {
    out: &'a mut Vec<u8>,
    form: Form,
}

/// What the next text is.
enum Form {
    Text,
    /// A text that needs no escape.
    Name,
    /// JSON.
    Raw,
}

impl Writer<'_> {
    /// Writes a text that is of this form.
    #[inline]
    fn as_form<T: Serialize + ?Sized>(&mut self, form: Form, text: &T) -> Result {
        self.form = form;
        let done = text.serialize(&mut *self);
        self.form = Form::Text;
        done
    }

    /// `{"variant":`, whose value and `}` follow.
    fn variant(&mut self, variant: &str) {
        self.out.push(b'{');
        text::string(self.out, variant);
        self.out.push(b':');
    }
}

/// The members of an object or a list, and what closes them.
struct Members<'w, 'a> {
    writer: &'w mut Writer<'a>,
    begun: bool,
    close: &'static [u8],
}

impl<'w, 'a> Members<'w, 'a> {
    fn new(writer: &'w mut Writer<'a>, open: u8, close: &'static [u8]) -> Self {
        writer.out.push(open);
        Self {
            writer,
            begun: false,
            close,
        }
    }

    #[inline]
    fn next(&mut self) {
        if std::mem::replace(&mut self.begun, true) {
            self.writer.out.push(b',');
        }
    }

    #[inline]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result {
        self.next();
        value.serialize(&mut *self.writer)
    }

    #[inline]
    fn member<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result {
        self.next();
        text::string(self.writer.out, key);
        self.writer.out.push(b':');
        value.serialize(&mut *self.writer)
    }

    fn close(self) {
        self.writer.out.extend_from_slice(self.close);
    }
}

macro_rules! integers {
    ($($method:ident: $of:ty),+) => {$(
        #[inline]
        fn $method(self, n: $of) -> Result {
            self.out.extend_from_slice(itoa::Buffer::new().format(n).as_bytes());
            Ok(())
        }
    )+};
}

impl<'w, 'a> Serializer for &'w mut Writer<'a> {
    type Ok = ();
    type Error = GaveUp;
    type SerializeSeq = Members<'w, 'a>;
    type SerializeTuple = Members<'w, 'a>;
    type SerializeTupleStruct = Members<'w, 'a>;
    type SerializeTupleVariant = Members<'w, 'a>;
    type SerializeMap = Members<'w, 'a>;
    type SerializeStruct = Struct<'w, 'a>;
    type SerializeStructVariant = Members<'w, 'a>;

    integers!(
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64
    );

    fn serialize_bool(self, value: bool) -> Result {
        let word: &[u8] = if value { b"true" } else { b"false" };
        self.out.extend_from_slice(word);
        Ok(())
    }

    fn serialize_f32(self, n: f32) -> Result {
        serde_json::to_writer(&mut *self.out, &n).map_err(|_| GaveUp)
    }

    fn serialize_f64(self, n: f64) -> Result {
        serde_json::to_writer(&mut *self.out, &n).map_err(|_| GaveUp)
    }

    fn serialize_char(self, c: char) -> Result {
        self.serialize_str(c.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, text: &str) -> Result {
        match self.form {
            Form::Text => text::string(self.out, text),
            Form::Name => text::name(self.out, text),
            Form::Raw => text::raw(self.out, text),
        }
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Result {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result {
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result {
        self.serialize_str(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result {
        if name == NAME {
            self.as_form(Form::Name, value)
        } else {
            value.serialize(self)
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result {
        self.variant(variant);
        value.serialize(&mut *self)?;
        self.out.push(b'}');
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Members<'w, 'a>> {
        Ok(Members::new(self, b'[', b"]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Members<'w, 'a>> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Members<'w, 'a>> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'w, 'a>> {
        self.variant(variant);
        Ok(Members::new(self, b'[', b"]}"))
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Members<'w, 'a>> {
        Ok(Members::new(self, b'{', b"}"))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Struct<'w, 'a>> {
        // What stands for itself (a raw value, a number of any precision) comes as a struct with
        // a name that no Rust struct can have.
        Ok(if name.starts_with('$') {
            Struct::Raw(self)
        } else {
            Struct::Members(Members::new(self, b'{', b"}"))
        })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'w, 'a>> {
        self.variant(variant);
        Ok(Members::new(self, b'{', b"}}"))
    }
}

macro_rules! list {
    ($($of:ident $method:ident),+) => {$(
        impl ser::$of for Members<'_, '_> {
            type Ok = ();
            type Error = GaveUp;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result {
                self.item(value)
            }

            #[inline]
            fn end(self) -> Result {
                self.close();
                Ok(())
            }
        }
    )+};
}
list!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

impl ser::SerializeMap for Members<'_, '_> {
    type Ok = ();
    type Error = GaveUp;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result {
        self.next();
        let start = self.writer.out.len();
        key.serialize(&mut *self.writer)?;
        // `serde_json` makes a text of numbers, and refuses the rest.
        if self.writer.out.get(start) == Some(&b'"') {
            Ok(())
        } else {
            Err(GaveUp)
        }
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result {
        self.writer.out.push(b':');
        value.serialize(&mut *self.writer)
    }

    #[inline]
    fn end(self) -> Result {
        self.close();
        Ok(())
    }
}

impl ser::SerializeStructVariant for Members<'_, '_> {
    type Ok = ();
    type Error = GaveUp;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result {
        self.member(key, value)
    }

    fn end(self) -> Result {
        self.close();
        Ok(())
    }
}

/// A struct, or what `serde_json` hands out as one.
enum Struct<'w, 'a> {
    Members(Members<'w, 'a>),
    Raw(&'w mut Writer<'a>),
}

impl ser::SerializeStruct for Struct<'_, '_> {
    type Ok = ();
    type Error = GaveUp;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result {
        match self {
            Self::Members(members) => members.member(key, value),
            Self::Raw(writer) => writer.as_form(Form::Raw, value),
        }
    }

    fn end(self) -> Result {
        if let Self::Members(members) = self {
            members.close();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
