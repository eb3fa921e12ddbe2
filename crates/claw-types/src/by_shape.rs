//! Values that are distinguished by their shape: text, a number, true or false, a list or an
//! object.

/// Declares an enum whose variants each read one shape of JSON. Each shape has at most one variant.
macro_rules! by_shape {
    (
        $(#[doc = $doc:literal])+
        $name:ident, $expecting:literal {
            $($(#[doc = $variant_doc:literal])+ $shape:ident $variant:ident($type:ty),)+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[doc = $variant_doc])+ $variant($type),)+
        }

        $(impl From<$type> for $name {
            #[inline]
            fn from(value: $type) -> Self {
                Self::$variant(value)
            }
        })+

        $crate::wire::by_text!($name);

        impl $crate::wire::Write for $name {
            fn write(&self, writer: &mut $crate::wire::Writer<'_>) -> Result<(), $crate::wire::Failed> {
                match self {
                    $(Self::$variant(value) => $crate::wire::Write::write(value, writer),)+
                }
            }
        }

        impl $crate::wire::Read for $name {
            fn read(parser: &mut $crate::wire::Parser<'_>) -> Result<Self, $crate::wire::Failed> {
                let shape = $crate::by_shape::Shape::of_first_byte(parser.peek());
                $(if shape == $crate::by_shape::shape!($shape) {
                    return $crate::wire::Read::read(parser).map(Self::$variant);
                })+
                parser.skip()?;
                Err(parser.fail_at(parser.position(), concat!("expected ", $expecting)))
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let members = [$($crate::by_shape::member!(
                    $shape, generator.subschema_for::<$type>().to_value()
                )),+];
                schemars::json_schema!({
                    "description": $crate::schema::tidy(concat!($($doc, "\n"),+)),
                    "anyOf": members
                })
            }
        }
    };
}
pub(crate) use by_shape;

/// The shape of a value, as shown by the beginning of its text.
#[derive(PartialEq)]
pub(crate) enum Shape {
    Text,
    Number,
    Flag,
    List,
    Object,
    Other,
}

impl Shape {
    #[cfg(feature = "tools")]
    pub(crate) fn of(json: &crate::Json) -> Self {
        let text = json.as_raw().trim_start();
        text.bytes().next().map_or(Self::Other, Self::of_first_byte)
    }

    /// Returns the shape by the first byte of a value.
    pub(crate) fn of_first_byte(byte: u8) -> Self {
        match byte {
            b'"' => Self::Text,
            b'-' | b'0'..=b'9' => Self::Number,
            b't' | b'f' => Self::Flag,
            b'[' => Self::List,
            b'{' => Self::Object,
            _ => Self::Other,
        }
    }
}

/// The shape for the word that the declaration uses.
macro_rules! shape {
    (text) => {
        $crate::by_shape::Shape::Text
    };
    (number) => {
        $crate::by_shape::Shape::Number
    };
    (flag) => {
        $crate::by_shape::Shape::Flag
    };
    (list) => {
        $crate::by_shape::Shape::List
    };
    (object) => {
        $crate::by_shape::Shape::Object
    };
}
pub(crate) use shape;

/// The schema of one shape. A free-form value at least requires an object.
#[cfg(feature = "schema")]
macro_rules! member {
    (object, $schema:expr) => {{
        let mut schema = $schema;
        if $crate::schema::is_free(&schema) {
            schema = serde_json::json!({ "type": "object", "additionalProperties": schema });
        }
        schema
    }};
    ($shape:ident, $schema:expr) => {
        $schema
    };
}
#[cfg(feature = "schema")]
pub(crate) use member;
