//! Sees a value be written, and writes nothing.

use std::fmt::{self, Display, Write as _};

use serde::de::value::Error;
use serde::ser::{self, Serialize, Serializer};

use super::Untyped;
use crate::wire::{FIELD, KIND, NULL};
use crate::{Json, Unknown};

type Result<T = ()> = std::result::Result<T, Error>;

/// Looks for the marks that stand on what is kept without a type.
#[derive(Default)]
pub(super) struct Search {
    pub(super) found: Vec<Untyped>,
    path: String,
    /// Where the path's last key begins.
    key: usize,
    /// What the name of the next newtype belongs to.
    mark: Option<&'static str>,
}

impl Search {
    /// Goes on with what stands under a key.
    fn member<T: Serialize + ?Sized>(&mut self, key: impl Display, value: &T) -> Result {
        let (length, outer) = (self.path.len(), self.key);
        if length > 0 {
            self.path.push('.');
        }
        self.key = self.path.len();
        // Writing to a String cannot fail.
        let _ = write!(self.path, "{key}");
        let done = value.serialize(&mut *self);
        self.path.truncate(length);
        self.key = outer;
        done
    }

    fn item<T: Serialize + ?Sized>(&mut self, index: usize, value: &T) -> Result {
        let length = self.path.len();
        let _ = write!(self.path, "[{index}]");
        let done = value.serialize(&mut *self);
        self.path.truncate(length);
        done
    }

    fn keeps(&mut self, mark: &'static str, owner: &'static str) {
        let path = self.path.clone();
        let key = path[self.key..].to_owned();
        self.found.push(if mark == NULL {
            Untyped::Null { owner, key, path }
        } else {
            Untyped::Field { owner, key, path }
        });
    }

    fn is_of<T: Serialize + ?Sized>(&mut self, value: &T) {
        let json = Json::new(value).unwrap_or_else(|_| Json::null());
        let kind = Unknown::new(json).kind().into_owned();
        let path = self.path.clone();
        self.found.push(Untyped::Kind { kind, path });
    }
}

/// The parts of a list or an object.
pub(super) struct Parts<'a> {
    search: &'a mut Search,
    count: usize,
    key: String,
}

impl<'a> Parts<'a> {
    fn new(search: &'a mut Search) -> Self {
        Self {
            search,
            count: 0,
            key: String::new(),
        }
    }
}

macro_rules! nothing {
    ($($method:ident($($of:ty),*)),+ $(,)?) => {$(
        fn $method(self, $(_: $of),*) -> Result {
            Ok(())
        }
    )+};
}

impl<'a> Serializer for &'a mut Search {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeTupleStruct = Parts<'a>;
    type SerializeTupleVariant = Parts<'a>;
    type SerializeMap = Parts<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Parts<'a>;

    nothing! {
        serialize_bool(bool), serialize_char(char), serialize_str(&str), serialize_bytes(&[u8]),
        serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64),
        serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64),
        serialize_f32(f32), serialize_f64(f64), serialize_none(), serialize_unit(),
        serialize_unit_struct(&'static str),
        serialize_unit_variant(&'static str, u32, &'static str),
    }

    fn collect_str<T: Display + ?Sized>(self, _: &T) -> Result {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result {
        match (self.mark.take(), name) {
            (Some(mark), owner) => self.keeps(mark, owner),
            (None, KIND) => self.is_of(value),
            (None, FIELD | NULL) => {
                self.mark = Some(name);
                return value.serialize(self);
            }
            (None, _) => return value.serialize(self),
        }
        Ok(())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result {
        self.member(variant, value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'a>> {
        Ok(Parts::new(self))
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'a>> {
        Ok(Parts::new(self))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>> {
        Ok(Parts::new(self))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Parts<'a>> {
        Ok(Parts::new(self))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Parts<'a>> {
        Ok(Parts::new(self))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>> {
        Ok(Parts::new(self))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Parts<'a>> {
        Ok(Parts::new(self))
    }
}

macro_rules! lists {
    ($($of:ident $method:ident),+) => {$(
        impl ser::$of for Parts<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result {
                self.count += 1;
                self.search.item(self.count - 1, value)
            }

            fn end(self) -> Result {
                Ok(())
            }
        }
    )+};
}
lists!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

macro_rules! objects {
    ($($of:ident),+) => {$(
        impl ser::$of for Parts<'_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result {
                self.search.member(key, value)
            }

            fn end(self) -> Result {
                Ok(())
            }
        }
    )+};
}
objects!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result {
        self.key = Key(key).to_string();
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result {
        self.search.member(&self.key, value)
    }

    fn serialize_entry<K: Serialize + ?Sized, V: Serialize + ?Sized>(
        &mut self,
        key: &K,
        value: &V,
    ) -> Result {
        self.search.member(Key(key), value)
    }

    fn end(self) -> Result {
        Ok(())
    }
}

/// The text of a key.
struct Key<'a, T: ?Sized>(&'a T);

impl<T: Serialize + ?Sized> Display for Key<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.serialize(f)
    }
}
