//! The way of an option to the CLI, as the attribute of its field declares it.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::meta::ParseNestedMeta;
use syn::{LitStr, Result};

/// The way of an option: one kind, a text, or both.
#[derive(Default)]
pub(crate) struct Way {
    /// The name of the way, and its argument: `flag` and `"max-turns"`.
    pub(crate) kind: Option<(Ident, TokenStream)>,
    /// What `way = "…"` says.
    pub(crate) text: Option<LitStr>,
}

impl Way {
    /// Reads one item of an attribute. Returns whether the item declares a way.
    pub(crate) fn read(&mut self, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        let Some(name) = meta.path.get_ident() else {
            return Ok(false);
        };
        let argument = match name.to_string().as_str() {
            "flag" | "variable" => meta.value()?.parse::<LitStr>()?.to_token_stream(),
            "arguments" => meta.value()?.parse::<Ident>()?.to_token_stream(),
            "initialize" | "launch" => TokenStream::new(),
            "way" => {
                self.text = Some(meta.value()?.parse()?);
                return Ok(true);
            }
            _ => return Ok(false),
        };
        self.kind = Some((name.clone(), argument));
        Ok(true)
    }

    /// Whether the attribute declares a way.
    pub(crate) fn is_declared(&self) -> bool {
        self.kind.is_some() || self.text.is_some()
    }
}
