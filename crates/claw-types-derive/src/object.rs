//! The description of an object in the attributes of its struct: tags, fields, modes.

use proc_macro2::TokenStream;
use syn::meta::ParseNestedMeta;
use syn::parse::Parser as _;
use syn::{Data, DeriveInput, Error, Fields, Ident, LitStr, Result, Type};

use crate::way::Way;

/// The contents of `#[wire]` on a struct.
pub(crate) struct Object {
    pub(crate) name: Ident,
    pub(crate) docs: String,
    pub(crate) tags: Vec<(String, String)>,
    pub(crate) fields: Vec<Field>,
    /// Whether the struct declares `extra` itself.
    pub(crate) own_extra: bool,
    pub(crate) no_new: bool,
    /// The type of the response, if the struct is a request.
    pub(crate) response: Option<Type>,
    /// The macro that passes the fields on with their ways, if the struct contains options.
    pub(crate) each: Option<Ident>,
}

/// A field that is a key of the object.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    pub(crate) key: String,
    pub(crate) docs: String,
    /// The type inside `Option` or `Tri`; the type itself for a required field.
    pub(crate) inner: Type,
    pub(crate) mode: Mode,
    pub(crate) since: Option<String>,
    pub(crate) secret: bool,
    /// Whether all known kinds have the field, although a future kind may not.
    pub(crate) expected: bool,
    /// A text that the field never has, because it is the tag of another struct.
    pub(crate) never: Option<String>,
    pub(crate) way: Way,
}

/// Whether a key must be present, and whether it can be null.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The key is always present, and never null.
    Required,
    /// The key is absent if the field is `None`.
    Optional,
    /// The key is always present. It is null if the field is `None`.
    Nullable,
    /// The key is absent, null or present with a value.
    Tri,
}

impl Object {
    pub(crate) fn read(arguments: TokenStream, input: &DeriveInput) -> Result<Self> {
        let Data::Struct(data) = &input.data else {
            return Err(Error::new_spanned(
                &input.ident,
                "wire is for structs and enums",
            ));
        };
        let Fields::Named(named) = &data.fields else {
            return Err(Error::new_spanned(&input.ident, "wire needs named fields"));
        };
        if !input.generics.params.is_empty() {
            return Err(Error::new_spanned(
                &input.generics,
                "wire takes no generics",
            ));
        }
        let mut object = Self {
            name: input.ident.clone(),
            docs: docs(&input.attrs),
            tags: Vec::new(),
            fields: Vec::new(),
            own_extra: false,
            no_new: false,
            response: None,
            each: None,
        };
        let mut camel = false;
        syn::meta::parser(|meta| object.argument(&meta, &mut camel)).parse2(arguments)?;
        for field in &named.named {
            object.field(field, camel)?;
        }
        object.refuse_escapes()?;
        Ok(object)
    }

    /// Refuses keys and tags that need escapes, because they are read and written unchanged.
    fn refuse_escapes(&self) -> Result<()> {
        let tags = self.tags.iter().flat_map(|(key, value)| [key, value]);
        let mut texts = tags.chain(self.fields.iter().map(|f| &f.key));
        let is_plain = |c: char| c.is_ascii_graphic() && c != '"' && c != '\\';
        match texts.find(|text| !text.chars().all(is_plain)) {
            Some(text) => Err(Error::new_spanned(
                &self.name,
                format!("a key or a tag that needs an escape: {text:?}"),
            )),
            None => Ok(()),
        }
    }

    /// Reads one argument of the attribute on the struct.
    fn argument(&mut self, meta: &ParseNestedMeta<'_>, camel: &mut bool) -> Result<()> {
        if meta.path.is_ident("tag") {
            meta.parse_nested_meta(|tag| {
                // `type` is a keyword, so the path is read by hand where it is one.
                let key = tag.path.require_ident()?.to_string();
                let value: LitStr = tag.value()?.parse()?;
                self.tags
                    .push((key.trim_start_matches("r#").to_owned(), value.value()));
                Ok(())
            })
        } else if meta.path.is_ident("rename_all") {
            let value: LitStr = meta.value()?.parse()?;
            *camel = value.value() == "camelCase";
            if *camel {
                Ok(())
            } else {
                Err(Error::new_spanned(value, "only camelCase is known"))
            }
        } else if meta.path.is_ident("no_new") {
            self.no_new = true;
            Ok(())
        } else if meta.path.is_ident("response") {
            self.response = Some(meta.value()?.parse()?);
            Ok(())
        } else if meta.path.is_ident("each") {
            self.each = Some(meta.value()?.parse()?);
            Ok(())
        } else {
            Err(meta.error("expected tag(…), rename_all, response, each, no_new or fields"))
        }
    }

    /// Reads one field and its attributes.
    fn field(&mut self, field: &syn::Field, camel: bool) -> Result<()> {
        let Some(ident) = field.ident.clone() else {
            return Ok(());
        };
        let (mut rename, mut since, mut never) = (None, None, None);
        let mut way = Way::default();
        let (mut nullable, mut extra, mut secret, mut expected) = (false, false, false, false);
        each_wire(&field.attrs, |meta| {
            if meta.path.is_ident("rename") {
                rename = Some(meta.value()?.parse::<LitStr>()?.value());
            } else if meta.path.is_ident("since") {
                since = Some(meta.value()?.parse::<LitStr>()?.value());
            } else if meta.path.is_ident("never") {
                never = Some(meta.value()?.parse::<LitStr>()?.value());
            } else if meta.path.is_ident("nullable") {
                nullable = true;
            } else if meta.path.is_ident("secret") {
                secret = true;
            } else if meta.path.is_ident("expected") {
                expected = true;
            } else if meta.path.is_ident("extra") {
                extra = true;
            } else if !way.read(&meta)? {
                return Err(meta.error(
                    "expected rename, nullable, since, never, secret, expected, extra, or a way to the CLI: flag, \
                     arguments, variable, initialize, launch or way",
                ));
            }
            Ok(())
        })?;
        if let Some(cfg) = field.attrs.iter().find(|a| a.path().is_ident("cfg")) {
            return Err(Error::new_spanned(cfg, "a field is always there: no cfg"));
        }
        if extra != (ident == "extra") {
            return Err(Error::new_spanned(
                ident,
                "the field that keeps unknown keys is added by the macro; where it is written, it \
                 is `#[wire(extra)] pub extra: Extra`",
            ));
        }
        if extra {
            self.own_extra = true;
            return Ok(());
        }
        if self.each.is_some() && !way.is_declared() {
            let wrong = "an option declares its way to the CLI, such as `#[wire(flag = \"name\")]`";
            return Err(Error::new_spanned(ident, wrong));
        }
        let (inner, mode) = match (generic(&field.ty, "Option"), generic(&field.ty, "Tri")) {
            (Some(inner), _) if nullable => (inner, Mode::Nullable),
            (Some(inner), _) => (inner, Mode::Optional),
            (_, Some(inner)) => (inner, Mode::Tri),
            _ => (field.ty.clone(), Mode::Required),
        };
        if nullable && mode != Mode::Nullable {
            return Err(Error::new_spanned(
                &field.ty,
                "nullable needs a plain Option<…>",
            ));
        }
        let plain = ident.to_string().trim_start_matches("r#").to_owned();
        let key = rename.unwrap_or(if camel { camel_case(&plain) } else { plain });
        let docs = docs(&field.attrs);
        self.fields.push(Field {
            ident,
            key,
            docs,
            inner,
            mode,
            since,
            secret,
            expected,
            never,
            way,
        });
        Ok(())
    }

    /// Whether `Debug` must hide some values.
    pub(crate) fn has_secrets(&self) -> bool {
        self.fields.iter().any(|f| f.secret)
    }
}

/// Calls `f` for each item of the `#[wire(…)]` attributes on a field, or `#[union(…)]` on a variant.
pub(crate) fn each_wire(
    attrs: &[syn::Attribute],
    mut f: impl FnMut(ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    for attr in attrs.iter().filter(|a| is_ours(a)) {
        attr.parse_nested_meta(&mut f)?;
    }
    Ok(())
}

/// Whether the attribute belongs to these macros.
pub(crate) fn is_ours(attr: &syn::Attribute) -> bool {
    attr.path().is_ident("wire") || attr.path().is_ident("union")
}

/// Returns the text of the doc comments, line by line.
pub(crate) fn docs(attrs: &[syn::Attribute]) -> String {
    let mut lines = Vec::new();
    for attr in attrs.iter().filter(|a| a.path().is_ident("doc")) {
        if let syn::Meta::NameValue(meta) = &attr.meta
            && let syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) = &meta.value
        {
            lines.push(text.value().trim().to_owned());
        }
    }
    lines.join("\n").trim().to_owned()
}

/// Returns `T` if the type is written as `Name<T>`.
pub(crate) fn generic(ty: &Type, name: &str) -> Option<Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if last.ident != name {
        return None;
    }
    let syn::PathArguments::AngleBracketed(args) = &last.arguments else {
        return None;
    };
    match args.args.first()? {
        syn::GenericArgument::Type(inner) => Some(inner.clone()),
        _ => None,
    }
}

fn camel_case(snake: &str) -> String {
    let mut out = String::with_capacity(snake.len());
    let mut upper = false;
    for c in snake.chars() {
        if c == '_' {
            upper = true;
        } else if std::mem::take(&mut upper) {
            out.extend(c.to_uppercase());
        } else {
            out.push(c);
        }
    }
    out
}
