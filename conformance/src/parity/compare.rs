//! Finds the differences between two sets of types.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use serde_json::Value;

use super::Root;
use super::report::{Counts, Report};
use super::shape::{Object, Shape, Side, calls, named};

/// A comparison of two sides.
pub(super) struct Comparison<'a> {
    left: &'a Side,
    right: &'a Side,
    report: Report,
    /// Pairs of types that were already compared, or need no comparison.
    seen: BTreeSet<(&'a str, &'a str)>,
    /// Pairs of types whose fields have been compared.
    met: BTreeSet<(&'a str, &'a str)>,
    /// Types of the left side that were part of a comparison.
    reached: BTreeSet<&'a str>,
    /// Types of the left side that occur in something that the right side lacks, and whether that
    /// counts as a gap.
    lacking: Vec<(&'a str, Counted)>,
    /// Differences that do not count as gaps, because the right side lacks the thing on purpose.
    left_out: &'a BTreeSet<String>,
}

/// Whether a thing of the left side that the right side lacks counts as a gap.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    Yes,
    /// The right side lacks it, and everything in it, on purpose.
    No,
}

impl<'a> Comparison<'a> {
    /// Creates a comparison. `left_out` contains the differences that do not count as gaps.
    pub(super) fn new(left: &'a Side, right: &'a Side, left_out: &'a BTreeSet<String>) -> Self {
        Self {
            left,
            right,
            report: Report::default(),
            seen: BTreeSet::new(),
            met: BTreeSet::new(),
            reached: BTreeSet::new(),
            lacking: Vec::new(),
            left_out,
        }
    }

    /// Compares the variants of a root.
    ///
    /// Returns the names of both types for each variant, by its label. A type without a name is
    /// `None`.
    pub(super) fn root(
        &mut self,
        root: &Root,
    ) -> BTreeMap<String, (Option<&'a str>, Option<&'a str>)> {
        let (left, right) = (
            self.begin(self.left, root.kind, root.left),
            self.begin(self.right, root.kind, root.right),
        );
        for (name, _) in &left {
            self.reached.insert(name);
            self.seen
                .extend(right.iter().map(|(other, _)| (*name, *other)));
        }
        let read = |side, known: Vec<(_, &'a Value)>| {
            let schemas: Vec<_> = known.into_iter().map(|(_, schema)| schema).collect();
            Shape::read(side, &schemas)
        };
        let (left, right) = (read(self.left, left), read(self.right, right));
        self.reached.extend(&left.names);
        let variants = left.objects.iter().map(|object| {
            let label = object.label(self.left);
            let same = right
                .objects
                .iter()
                .find(|other| other.label(self.right) == label);
            (label, (object.name, same.and_then(|other| other.name)))
        });
        let variants = variants.collect();
        self.objects(&left.objects, &right.objects, root.kind, true);
        variants
    }

    /// Returns the types of one side that a root names. A missing type is a difference.
    fn begin(&mut self, side: &'a Side, kind: &str, names: &[&str]) -> Vec<(&'a str, &'a Value)> {
        let mut known = Vec::new();
        for name in names {
            match side.types.get_key_value(*name) {
                Some((name, schema)) => known.push((name.as_str(), schema)),
                None => self.differs(kind, format!("no type {name} in {}", side.name)),
            }
        }
        known
    }

    /// Compares two types. If neither side has the type, that is not a difference.
    pub(super) fn pair(&mut self, place: &str, left: Option<&str>, right: Option<&str>) {
        let left = left.and_then(|name| self.left.types.get_key_value(name));
        let right = right.and_then(|name| self.right.types.get_key_value(name));
        match (left, right) {
            (Some((name, left)), Some((other, right))) => {
                self.reached.insert(name);
                if self.seen.insert((name, other)) {
                    self.schemas(&[left], &[right], place);
                }
            }
            (Some((name, left)), None) => {
                self.reached.insert(name);
                if !Shape::read(self.left, &[left]).free_form(self.left) {
                    let counted = self.is_missing(place);
                    self.lack(&[left], place, counted);
                }
            }
            (None, Some(_)) => self.differs(place, format!("not in {}", self.left.name)),
            (None, None) => {}
        }
    }

    /// Returns the exported types of the left side that were not part of a comparison. Types with
    /// callbacks are left out, because they are not data.
    pub(super) fn unreached(&self) -> Vec<&'a str> {
        let exported = self.left.exported.iter().map(String::as_str);
        exported
            .filter(|name| !self.reached.contains(name))
            .filter(|name| !calls(self.left, &[&self.left.types[*name]]))
            .collect()
    }

    pub(super) fn finish(mut self) -> Report {
        self.count_lacking();
        self.report
    }

    /// Counts the named types in the things that the right side lacks, each type once. Types that
    /// both sides have must be compared before.
    pub(super) fn count_lacking(&mut self) {
        for counted in [Counted::Yes, Counted::No] {
            while let Some(at) = self.lacking.iter().position(|(_, how)| *how == counted) {
                let (name, _) = self.lacking.swap_remove(at);
                if self.reached.insert(name) {
                    let place = self.left.title(name);
                    self.lack(&[&self.left.types[name]], &place, counted);
                }
            }
        }
    }

    /// Records that the right side lacks something that the left side has. Returns whether the
    /// difference counts as a gap.
    fn is_missing(&mut self, place: &str) -> Counted {
        let difference = format!("{place}: not in {}", self.right.name);
        let is_left_out = self.left_out.contains(&difference);
        self.report.differences.insert(difference);
        if is_left_out {
            self.counts(place).left_out += 1;
            return Counted::No;
        }
        Counted::Yes
    }

    fn counts(&mut self, place: &str) -> &mut Counts {
        let kind = place.split(['.', ' ', '[', '{']).next().unwrap_or_default();
        self.report.counts.entry(kind.to_owned()).or_default()
    }

    fn differs(&mut self, place: &str, what: impl Display) {
        self.report.differences.insert(format!("{place}: {what}"));
    }

    /// Compares the values that two fields, items or types allow. Returns `false` if the right side
    /// allows any value, while the left side has a type.
    fn schemas(&mut self, left: &[&'a Value], right: &[&'a Value], place: &str) -> bool {
        let own;
        let mut place = place;
        if let Some(name) = named(left) {
            own = self.left.title(name);
            place = &own;
            if let Some(other) = named(right)
                && !self.seen.insert((name, other))
            {
                return true;
            }
        }
        let [l, r] = [Shape::read(self.left, left), Shape::read(self.right, right)];
        if l.any
            || r.any
            || (!l.objects.is_empty() && r.objects.is_empty() && r.free_form_map(self.right))
        {
            let typed = l.free_form(self.left);
            if !typed {
                self.differs(place, format!("anything in {}", self.right.name));
                self.lack(left, place, Counted::Yes);
            }
            return typed;
        }
        self.reached.extend(&l.names);
        self.one_sided(l.null, r.null, place, "null");
        for kind in ["string", "number", "boolean", "array", "object"] {
            self.one_sided(l.kinds.contains(kind), r.kinds.contains(kind), place, kind);
        }
        self.values(&l, &r, place);
        if !l.items.is_empty() && !r.items.is_empty() {
            self.schemas(&l.items, &r.items, &format!("{place}[]"));
        }
        if !l.rest.is_empty() && !r.rest.is_empty() {
            self.schemas(&l.rest, &r.rest, &format!("{place}{{}}"));
        }
        match (&*l.objects, &*r.objects) {
            // One side has a map, the other an object with named fields.
            ([], _) if !l.rest.is_empty() => {}
            (objects, []) if !r.rest.is_empty() => {
                for field in objects.iter().flat_map(|object| object.fields.values()) {
                    let typed = self.schemas(&field.schemas, &r.rest, &format!("{place}{{}}"));
                    self.counts(place).fields.add(typed);
                }
            }
            (left, right) => self.objects(left, right, place, false),
        }
        true
    }

    fn one_sided(&mut self, left: bool, right: bool, place: &str, what: &str) {
        if left != right {
            let side = if left { self.left } else { self.right };
            self.differs(place, format!("{what} in {} only", side.name));
        }
    }

    fn values(&mut self, left: &Shape<'a>, right: &Shape<'a>, place: &str) {
        // A single value is a tag, and counts as the variant that it names.
        if left.values.len() > 1 {
            for value in &left.values {
                self.counts(place).values.add(right.values.contains(value));
            }
        }
        if left.values.is_empty() || !right.kinds.contains("string") {
            return;
        }
        let only = |one: &Shape<'a>, other: &Shape<'a>| {
            let values: Vec<_> = one.values.difference(&other.values).copied().collect();
            (!values.is_empty()).then(|| values.join(", "))
        };
        if let Some(values) = only(left, right) {
            self.differs(
                place,
                format!("values not in {}: {values}", self.right.name),
            );
        }
        if let Some(values) = only(right, left).filter(|_| !left.text) {
            self.differs(place, format!("values not in {}: {values}", self.left.name));
        }
    }

    fn objects(&mut self, left: &[Object<'a>], right: &[Object<'a>], place: &str, root: bool) {
        let union = root || left.len() > 1 || right.len() > 1;
        for (left, right) in self.matched(left, right) {
            let (l, r) = (Object::merge(&left), Object::merge(&right));
            let label = match (left.first(), right.first()) {
                (Some(left), _) => left.label(self.left),
                (None, right) => right
                    .map(|right| right.label(self.right))
                    .unwrap_or_default(),
            };
            let place = match l.name {
                Some(name) if !root => self.left.title(name),
                _ if union && !label.is_empty() => format!("{place} {label}"),
                _ => place.to_owned(),
            };
            let is_internal = self.right.has_as_internal(r.name);
            if is_internal && !left.is_empty() {
                self.differs(&place, format!("internal in {}", self.right.name));
            }
            if left.is_empty() {
                if !is_internal {
                    self.differs(&place, format!("not in {}", self.left.name));
                }
            } else if right.is_empty() {
                let counted = self.is_missing(&place);
                if counted == Counted::Yes {
                    self.counts(&place).variants.add(false);
                }
                self.lack_fields(&l, &place, counted);
            } else if self.is_new(&l, &r) {
                for _ in &left {
                    self.counts(&place).variants.add(true);
                }
                self.fields(&l, &r, &place);
            }
        }
    }

    /// Whether two objects were not compared before. Objects without a name are always compared.
    fn is_new(&mut self, left: &Object<'a>, right: &Object<'a>) -> bool {
        match (left.name, right.name) {
            (Some(name), Some(other)) => self.met.insert((name, other)),
            _ => true,
        }
    }

    /// Groups the objects of both sides that have the same meaning.
    fn matched<'o>(
        &self,
        left: &'o [Object<'a>],
        right: &'o [Object<'a>],
    ) -> Vec<(Vec<&'o Object<'a>>, Vec<&'o Object<'a>>)> {
        if let ([l], [r]) = (left, right) {
            // A single object on each side: their tags are compared as values.
            return vec![(vec![l], vec![r])];
        }
        let mut pairs: Vec<(Vec<_>, Vec<_>)> =
            right.iter().map(|r| (Vec::new(), vec![r])).collect();
        let mut alone = Vec::new();
        for object in left {
            match likest(object, self.left, right, self.right) {
                Some(index) => pairs[index].0.push(object),
                None => alone.push((vec![object], Vec::new())),
            }
        }
        // Several objects of the right side that correspond to one object of the left side.
        for index in 0..pairs.len() {
            if !pairs[index].0.is_empty() {
                continue;
            }
            let likest = likest(&right[index], self.right, left, self.left);
            let home = likest.and_then(|at| {
                pairs
                    .iter()
                    .position(|(l, _)| l.iter().any(|l| std::ptr::eq(*l, &raw const left[at])))
            });
            if let Some(home) = home {
                let objects = std::mem::take(&mut pairs[index].1);
                pairs[home].1.extend(objects);
            }
        }
        pairs.retain(|(l, r)| !(l.is_empty() && r.is_empty()));
        pairs.append(&mut alone);
        pairs
    }

    fn fields(&mut self, left: &Object<'a>, right: &Object<'a>, place: &str) {
        for (key, l) in &left.fields {
            if calls(self.left, &l.schemas) {
                continue;
            }
            let place = format!("{place}.{key}");
            let Some(r) = right.fields.get(key) else {
                let counted = self.is_missing(&place);
                if counted == Counted::Yes {
                    self.counts(&place).fields.add(false);
                }
                self.lack(&l.schemas, &place, counted);
                continue;
            };
            self.one_sided(l.required, r.required, &place, "required");
            let typed = self.schemas(&l.schemas, &r.schemas, &place);
            self.counts(&place).fields.add(typed);
        }
        for key in right
            .fields
            .keys()
            .filter(|key| !left.fields.contains_key(*key))
        {
            self.differs(
                &format!("{place}.{key}"),
                format!("not in {}", self.left.name),
            );
        }
    }

    /// Counts the contents of something that the right side lacks.
    fn lack(&mut self, schemas: &[&'a Value], place: &str, counted: Counted) {
        if let Some(name) = named(schemas) {
            self.lacking.push((name, counted));
            return;
        }
        let shape = Shape::read(self.left, schemas);
        let objects: BTreeSet<_> = shape
            .objects
            .iter()
            .filter_map(|object| object.name)
            .collect();
        self.reached.extend(shape.names.difference(&objects));
        if shape.values.len() > 1 && counted == Counted::Yes {
            for _ in &shape.values {
                self.counts(place).values.add(false);
            }
        }
        for inner in [&shape.items, &shape.rest] {
            if !inner.is_empty() {
                self.lack(inner, place, counted);
            }
        }
        for object in &shape.objects {
            if let Some(name) = object.name {
                self.lacking.push((name, counted));
                continue;
            }
            if counted == Counted::Yes {
                self.counts(place).variants.add(false);
            }
            self.lack_fields(object, place, counted);
        }
    }

    fn lack_fields(&mut self, object: &Object<'a>, place: &str, counted: Counted) {
        for field in object.fields.values() {
            if calls(self.left, &field.schemas) {
                continue;
            }
            if counted == Counted::Yes {
                self.counts(place).fields.add(false);
            }
            self.lack(&field.schemas, place, counted);
        }
    }
}

/// Returns the index of the object in `others` whose tags fit best.
fn likest<'a>(
    object: &Object<'a>,
    side: &'a Side,
    others: &[Object<'a>],
    of: &'a Side,
) -> Option<usize> {
    let tags = object.tags(side);
    let tagged = tags.values().any(|values| values.len() == 1);
    let likeness = |other: &Object<'a>| {
        let theirs = other.tags(of);
        let shared: Vec<_> = tags
            .iter()
            .filter_map(|(key, values)| match theirs.get(key) {
                Some(theirs) => Some(values.intersection(theirs).count()),
                // The field allows any value, so it also allows this tag.
                None => other
                    .fields
                    .get(key)
                    .filter(|field| field.required)
                    .map(|_| 1),
            })
            .collect();
        let same = object.name.is_some() && object.name == other.name;
        let comparable = !shared.contains(&0) && (!shared.is_empty() || !tagged);
        // The order of preference: the same name (if two versions are compared), then more common
        // tags, then fewer other tags.
        comparable.then_some((same, shared.len(), std::cmp::Reverse(theirs.len())))
    };
    let scored = others
        .iter()
        .enumerate()
        .filter_map(|(at, other)| Some((likeness(other)?, at)));
    scored
        .max_by_key(|(likeness, at)| (*likeness, std::cmp::Reverse(*at)))
        .map(|(_, at)| at)
}

#[cfg(test)]
mod tests;
