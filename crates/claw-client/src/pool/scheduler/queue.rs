//! The order in which members get a process.
//!
//! The order is fair between tenants; within one tenant, it is first come, first served. The algorithm is start-time
//! fair queuing: each member gets a tag when it requests a process, and the member with the lowest tag is served first.
//! A tenant's next tag is higher than its previous tag by 1 / weight, and never lower than the tag that was served
//! last. So a hundred waiting members of one tenant do not delay the first member of another tenant, and each tag is
//! served at some time.

use std::collections::BTreeMap;

use super::MemberId;

/// A member's position in the order: its tag, and its arrival number, which orders equal tags.
pub(super) type Place = (u64, i64);

/// A tenant. Its members together have one share of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TenantId(pub(crate) u64);

/// The distance between two consecutive tags of a tenant with weight 1.
const STRIDE: u64 = 1 << 20;

#[derive(Debug)]
struct Tenant {
    weight: u32,
    /// The lowest tag that the tenant's next member can get. A tag is a position in the order.
    next: u64,
    members: usize,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    tenants: BTreeMap<TenantId, Tenant>,
    waiting: BTreeMap<Place, MemberId>,
    places: BTreeMap<MemberId, Place>,
    arrivals: i64,
    /// The arrival number of the last member that [`push_first`](Self::push_first) added. The number decreases with
    /// each such member, so that it comes before all other members with the same tag.
    returns: i64,
    /// The highest tag (position in the order) of a member that was served.
    now: u64,
}

impl Queue {
    /// Adds a member to this tenant. Each call sets the weight of the whole tenant.
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

    /// Removes a member from this tenant. If it was the last member, also removes the tenant.
    pub(super) fn remove_member(&mut self, tenant: TenantId) {
        if let Some(known) = self.tenants.get_mut(&tenant) {
            known.members -= 1;
            if known.members == 0 {
                self.tenants.remove(&tenant);
            }
        }
    }

    /// Returns the next position in the order for a member of this tenant.
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

    /// Adds a member to the queue, at a position that [`place`](Self::place) has returned.
    pub(super) fn push(&mut self, member: MemberId, place: Place) {
        self.waiting.insert(place, member);
        self.places.insert(member, place);
    }

    /// Adds a member that was served but got no process. The member becomes the first in the queue.
    pub(super) fn push_first(&mut self, member: MemberId) {
        let first = self.waiting.first_key_value();
        let tag = first.map_or(self.now, |((tag, _), _)| *tag);
        self.returns -= 1;
        let place = (tag, self.returns);
        self.waiting.insert(place, member);
        self.places.insert(member, place);
    }

    /// Returns the member that is served next.
    pub(super) fn first(&self) -> Option<MemberId> {
        self.waiting.first_key_value().map(|(_, member)| *member)
    }

    /// Whether this position comes after the first member in the queue.
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
