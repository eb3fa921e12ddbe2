//! A macro that declares a type of the crate's output.

/// Declares a type of the crate's output. The type has a schema. Its JSON has keys in camelCase, and null for absent
/// values.
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
