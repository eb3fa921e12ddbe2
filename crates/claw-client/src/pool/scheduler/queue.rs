//! The order in which members get a process.
//!
//! Fair between tenants, and first come, first served within one: start-time fair queuing. Each member gets a tag when
//! it asks; the lowest tag is served first. A tenant's next tag is higher than its last one by 1 / weight, and never
//! lower than the tag that was served last. So a tenant with a hundred members that wait does not hold up another one's
//! first, and no tag waits for ever.

use std::collections::BTreeMap;

use super::MemberId;

/// Where a member stands in the order: its tag, and its arrival among equal ones.
pub(super) type Place = (u64, i64);

/// Whose members share one place in the queue's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TenantId(pub(crate) u64);

/// The distance of two tags of a tenant of weight 1.
const STRIDE: u64 = 1 << 20;

#[derive(Debug)]
struct Tenant {
    weight: u32,
    /// The tag that its next member gets at least.
    next: u64,
    members: usize,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    tenants: BTreeMap<TenantId, Tenant>,
    waiting: BTreeMap<Place, MemberId>,
    places: BTreeMap<MemberId, Place>,
    arrivals: i64,
    /// Counts downwards: those that are served again come before all that arrived.
    returns: i64,
    /// The tag that was served last.
    now: u64,
}

impl Queue {
    /// A member of this tenant joins. The weight that was said last counts.
    pub(super) fn add_member(&mut self, tenant: TenantId, weight: u32) {
        let next = self.now;
        let known = self.tenants.entry(tenant).or_insert(Tenant {
            weight: 1,
            next,
            members: 0,
        });
        known.weight = weight.max(1);
        known.members += 1;
    }

    /// A member of this tenant is gone.
    pub(super) fn remove_member(&mut self, tenant: TenantId) {
        if let Some(known) = self.tenants.get_mut(&tenant) {
            known.members -= 1;
            if known.members == 0 {
                self.tenants.remove(&tenant);
            }
        }
    }

    /// The last place of the line, for a member of this tenant.
    pub(super) fn place(&mut self, tenant: TenantId) -> Place {
        let tag = match self.tenants.get_mut(&tenant) {
            Some(tenant) => {
                let tag = tenant.next.max(self.now);
                tenant.next = tag + (STRIDE / u64::from(tenant.weight)).max(1);
                tag
            }
            None => self.now,
        };
        let place = (tag, self.arrivals);
        self.arrivals += 1;
        place
    }

    /// Adds a member at a place that it has got.
    pub(super) fn push(&mut self, member: MemberId, place: Place) {
        self.waiting.insert(place, member);
        self.places.insert(member, place);
    }

    /// Adds a member that was served, and got nothing: it is the next one.
    pub(super) fn push_first(&mut self, member: MemberId) {
        let first = self.waiting.first_key_value();
        let tag = first.map_or(self.now, |((tag, _), _)| *tag);
        self.returns -= 1;
        let place = (tag, self.returns);
        self.waiting.insert(place, member);
        self.places.insert(member, place);
    }

    /// The member that is served next.
    pub(super) fn first(&self) -> Option<MemberId> {
        self.waiting.first_key_value().map(|(_, member)| *member)
    }

    /// Whether somebody waits who came before this place.
    pub(super) fn is_behind(&self, place: Place) -> bool {
        let first = self.waiting.first_key_value();
        first.is_some_and(|(first, _)| *first < place)
    }

    pub(super) fn pop(&mut self) -> Option<MemberId> {
        let ((tag, _), member) = self.waiting.pop_first()?;
        self.places.remove(&member);
        self.now = self.now.max(tag);
        Some(member)
    }

    pub(super) fn remove(&mut self, member: MemberId) {
        if let Some(place) = self.places.remove(&member) {
            self.waiting.remove(&place);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
