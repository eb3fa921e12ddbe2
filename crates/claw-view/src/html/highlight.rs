//! Writes code as HTML.

use std::io::{self, Write};

use super::Html;
#[cfg(feature = "highlight")]
use crate::code::{self, CodeClass};

#[cfg(feature = "highlight")]
mod cache;

impl<W: Write> Html<W> {
    /// Writes code. If the language is known, the parts of the code get classes. Otherwise, the code is written without
    /// classes.
    #[cfg(feature = "highlight")]
    pub(super) fn code(&mut self, language: &str, text: &str) -> io::Result<()> {
        let Some(syntax) = code::syntax(language) else {
            return self.text(text);
        };
        let html = cache::get(&syntax.name, text, || {
            Html::fragment(|html| html.spans(&code::spans(syntax, text)))
        });
        // The cached HTML was escaped when it was created, so it is written unchanged.
        self.out.write_all(html.as_bytes())
    }

    /// Writes code as text without classes, because the feature `highlight` is disabled.
    #[cfg(not(feature = "highlight"))]
    pub(super) fn code(&mut self, _language: &str, code: &str) -> io::Result<()> {
        self.text(code)
    }

    #[cfg(feature = "highlight")]
    fn spans(&mut self, spans: &[(Option<CodeClass>, &str)]) -> io::Result<()> {
        for (class, text) in spans {
            if let Some(class) = class {
                self.raw("<span class=\"")?;
                self.raw(class.as_str())?;
                self.raw("\">")?;
            }
            self.text(text)?;
            if class.is_some() {
                self.raw("</span>")?;
            }
        }
        Ok(())
    }
}

#[cfg(all(test, feature = "highlight"))]
mod tests;
