//! Identifiers of the protocol. They are text on the wire. Each has its own type, so that a session
//! ID cannot be used as a message ID.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::wire;

mod short;

use short::Short;

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Short);

        impl $name {
            /// Returns the ID as text, exactly as messages contain it.
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(self.as_str(), f)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl AsRef<std::ffi::OsStr> for $name {
            fn as_ref(&self) -> &std::ffi::OsStr {
                std::ffi::OsStr::new(self.as_str())
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.as_str().into())
            }
        }

        impl From<&String> for $name {
            fn from(text: &String) -> Self {
                Self(text.as_str().into())
            }
        }

        impl From<&$name> for $name {
            fn from(id: &$name) -> Self {
                id.clone()
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.as_str() == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.as_str() == *other
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(TextVisitor).map(Self)
            }
        }

        impl wire::Write for $name {
            fn write(&self, writer: &mut wire::Writer<'_>) -> Result<(), wire::Failed> {
                writer.text(self.as_str());
                Ok(())
            }
        }

        impl wire::Read for $name {
            fn read(parser: &mut wire::Parser<'_>) -> Result<Self, wire::Failed> {
                parser.text("text").map(Self::from)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                crate::schema::text(concat!($($doc, "\n"),+))
            }
        }
    )+};
}

ids! {
    /// The ID of a session. A session is one conversation, which is stored on disk under this ID.
    /// The CLI sends the ID in `system/init`.
    SessionId;
    /// The ID of a tool use in an answer from the model (`toolu_…`).
    ToolUseId;
    /// The ID of a control request (any text) or of a request to the Messages API (`req_…`).
    RequestId;
    /// The ID of an answer from the model (`msg_…`). All `assistant` messages of one answer share
    /// this ID.
    ApiMessageId;
    /// The UUID of a message of the conversation. claw keeps and compares these UUIDs as text,
    /// because the CLI repeats the host's UUIDs byte for byte. The text need not be a valid UUID.
    MessageUuid;
}

/// Reads the text in place, because serde's own way goes through a `String`.
struct TextVisitor;

impl serde::de::Visitor<'_> for TextVisitor {
    type Value = Short;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    #[inline]
    fn visit_str<E>(self, text: &str) -> Result<Short, E> {
        Ok(text.into())
    }
}

impl MessageUuid {
    /// Creates a random UUID (version 4).
    pub fn random() -> Self {
        uuid::Uuid::new_v4().into()
    }

    /// Parses the text as a UUID. Returns `None` if the text is not a valid UUID.
    pub fn as_uuid(&self) -> Option<uuid::Uuid> {
        uuid::Uuid::try_parse(self.as_str()).ok()
    }
}

impl From<uuid::Uuid> for MessageUuid {
    fn from(uuid: uuid::Uuid) -> Self {
        let mut text = [0; uuid::fmt::Hyphenated::LENGTH];
        Self((&*uuid.hyphenated().encode_lower(&mut text)).into())
    }
}
