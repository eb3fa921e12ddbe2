//! What all types that are shown have in common.

/// Declares a type of the crate's output: it is serialised with keys in camelCase, an optional field
/// that has no value as null, and has a schema.
macro_rules! shown {
    ($($item:item)+) => {$(
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        $item
    )+};
}
pub(crate) use shown;
