//! The common form of all types that are displayed.

/// Declares a type of the crate's output. It is serialized with keys in camelCase and null for absent values, and has a
/// schema.
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
