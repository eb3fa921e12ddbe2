//! What a package has to make of a line, according to the model.

use crate::exact::Exact;

use super::{Case, Condition, Field, Form, Model, ROOTS, Shape, Struct, Type};

/// What a package makes of a line.
#[derive(Debug, PartialEq)]
pub(crate) enum Reading {
    /// A line of a known kind, with this number of unknown values in it.
    Known(usize),
    /// A line of an unknown kind.
    Unknown,
    /// A line that cannot be read. The path of the mistake, such as `message.content[2].type`.
    Refused(String),
}

/// The path of a mistake, from the inside to the outside.
struct Mistake(Vec<String>);

/// The number of unknown values in a value, which is 0 or 1 for a value that is unknown itself.
type Unknowns = Result<usize, Mistake>;

impl Mistake {
    fn here() -> Self {
        Self(Vec::new())
    }

    fn inside(mut self, step: String) -> Self {
        self.0.push(step);
        self
    }

    fn path(mut self) -> String {
        self.0.reverse();
        self.0.concat().trim_start_matches('.').to_owned()
    }
}

impl Model {
    /// Returns what a package has to make of a line of a direction.
    pub(crate) fn reading(&self, way: &str, line: &str) -> Reading {
        let Ok(line) = Exact::read(line) else {
            return Reading::Refused(String::new());
        };
        let root = ROOTS.into_iter().find(|(direction, _)| *direction == way);
        let Some((union, Form::Union(form))) = root.and_then(|(_, root)| {
            let definition = self.definitions.get(root)?;
            Some((root, &definition.form))
        }) else {
            return Reading::Refused(String::new());
        };
        let case = match case(&form.cases, &line) {
            Ok(case) => case,
            Err(mistake) => return Reading::Refused(mistake.path()),
        };
        let is_unknown = case.is_none();
        match self.value(&Type::Named(union.to_owned()), &line) {
            Err(mistake) => Reading::Refused(mistake.path()),
            // A line of an internal kind in another form.
            Ok(_)
                if case.is_some_and(|case| {
                    case.is_internal && self.value(&case.ty, &line).is_err()
                }) =>
            {
                Reading::Unknown
            }
            Ok(_) if is_unknown => Reading::Unknown,
            Ok(unknowns) => Reading::Known(unknowns),
        }
    }

    fn value(&self, ty: &Type, value: &Exact) -> Unknowns {
        let expect = |is_right: bool| {
            if is_right {
                Ok(0)
            } else {
                Err(Mistake::here())
            }
        };
        match (ty, value) {
            (Type::Json | Type::Later(_), _) | (Type::Nullable(_), Exact::Null) => Ok(0),
            (Type::Text, value) => expect(shape(value) == Some(Shape::String)),
            (Type::Flag, value) => expect(shape(value) == Some(Shape::Boolean)),
            (Type::Number, value) => expect(shape(value) == Some(Shape::Number)),
            (Type::Integer, value) => expect(matches!(value, Exact::Number(n) if !n.is_float())),
            (Type::Nullable(inner), value) => self.value(inner, value),
            (Type::List(item), Exact::List(items)) => {
                let items = items.iter().enumerate();
                total(items.map(|(at, value)| {
                    self.value(item, value)
                        .map_err(|m| m.inside(format!("[{at}]")))
                }))
            }
            (Type::Dictionary(item), Exact::Object(members)) => {
                total(members.iter().map(|(key, value)| {
                    self.value(item, value)
                        .map_err(|m| m.inside(step(&String::from_utf16_lossy(key))))
                }))
            }
            (Type::List(_) | Type::Dictionary(_), _) => Err(Mistake::here()),
            (Type::Named(name), value) => match self.definitions.get(name).map(|found| &found.form)
            {
                Some(Form::Struct(form)) => self.structure_of(form, value),
                Some(Form::Enumeration(_)) => self.value(&Type::Text, value),
                Some(Form::Alias(ty)) => self.value(ty, value),
                Some(Form::Union(form)) => match case(&form.cases, value)? {
                    None => Ok(1),
                    Some(case) => match self.value(&case.ty, value) {
                        Err(_) if case.is_internal => Ok(1),
                        read => read,
                    },
                },
                None => Err(Mistake::here()),
            },
        }
    }

    fn structure_of(&self, form: &Struct, value: &Exact) -> Unknowns {
        if shape(value) != Some(Shape::Object) {
            return Err(Mistake::here());
        }
        for tag in &form.tags {
            let has_value = value
                .get(&tag.key)
                .is_some_and(|found| found.is(&tag.value));
            if !has_value {
                return Err(Mistake::here().inside(step(&tag.key)));
            }
        }
        total(form.fields.iter().map(|field| {
            self.field(field, value.get(&field.key))
                .map_err(|m| m.inside(step(&field.key)))
        }))
    }

    fn field(&self, field: &Field, value: Option<&Exact>) -> Unknowns {
        match value {
            None if field.is_required => Err(Mistake::here()),
            None => Ok(0),
            // Null in a field that may be absent is kept.
            Some(Exact::Null) if field.is_nullable || !field.is_required => Ok(0),
            Some(value) => self.value(&field.ty, value),
        }
    }
}

/// Returns the case of a value, or `None` if it is unknown.
fn case<'a>(cases: &'a [Case], value: &Exact) -> Result<Option<&'a Case>, Mistake> {
    let shape = shape(value);
    let mut of_shape = cases
        .iter()
        .filter(|case| Some(case.shape) == shape)
        .peekable();
    if of_shape.peek().is_none() {
        return Err(Mistake::here());
    }
    Ok(of_shape.find(|case| {
        case.conditions
            .iter()
            .all(|condition| holds(condition, value))
    }))
}

/// Adds the numbers of unknown values.
fn total(mut all: impl Iterator<Item = Unknowns>) -> Unknowns {
    all.try_fold(0, |sum, unknowns| Ok(sum + unknowns?))
}

fn step(key: &str) -> String {
    format!(".{key}")
}

fn holds(condition: &Condition, value: &Exact) -> bool {
    match value.get(&condition.key) {
        None => condition.may_be_absent,
        Some(found) => {
            condition.values.is_empty() || condition.values.iter().any(|value| found.is(value))
        }
    }
}

/// Returns the kind of a value, or `None` for null.
fn shape(value: &Exact) -> Option<Shape> {
    match value {
        Exact::Null => None,
        Exact::Flag(_) => Some(Shape::Boolean),
        Exact::Number(_) => Some(Shape::Number),
        Exact::Text(_) => Some(Shape::String),
        Exact::List(_) => Some(Shape::Array),
        Exact::Object(_) => Some(Shape::Object),
    }
}
