//! JSON that is expected to be of a certain type.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Json;

/// A JSON value that should be a `T`. The value is kept unchanged: when it is serialized again, parts that do not fit
/// `T`, or that `T` does not know, are included. It can be created from a `T` or from any JSON. Its schema is that of
/// `T`.
pub struct JsonOf<T>(Json, PhantomData<fn() -> T>);

impl<T: DeserializeOwned> JsonOf<T> {
    /// Deserializes the value as a `T`.
    ///
    /// # Errors
    /// Fails if the value does not fit the type `T`.
    pub fn read(&self) -> Result<T, serde_json::Error> {
        self.0.parse()
    }
}

impl<T> JsonOf<T> {
    /// Returns the JSON as it was received, including the parts that do not fit `T`.
    pub fn json(&self) -> &Json {
        &self.0
    }
}

impl<T> Deref for JsonOf<T> {
    type Target = Json;

    fn deref(&self) -> &Json {
        &self.0
    }
}

impl<T> From<Json> for JsonOf<T> {
    fn from(json: Json) -> Self {
        Self(json, PhantomData)
    }
}

impl<T> From<serde_json::Value> for JsonOf<T> {
    fn from(value: serde_json::Value) -> Self {
        Json::from(value).into()
    }
}

impl<T> From<JsonOf<T>> for Json {
    fn from(json: JsonOf<T>) -> Self {
        json.0
    }
}

impl<T> Clone for JsonOf<T> {
    fn clone(&self) -> Self {
        self.0.clone().into()
    }
}

impl<T> PartialEq for JsonOf<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> fmt::Debug for JsonOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T> Serialize for JsonOf<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T> Deserialize<'de> for JsonOf<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Json::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for JsonOf<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        crate::read_later(&generator.subschema_for::<T>().to_value())
    }
}
