use claw_types::QueryOptions;

use super::Pool;
use crate::Session;

#[tokio::test]
async fn a_tenant_is_forgotten_with_its_last_session() {
    let pool = Pool::builder().build();
    let open = |name: &str| {
        let options = QueryOptions::default();
        pool.session_builder(options, Session::builder)
            .tenant(name, 1)
            .open()
    };
    let (first, second, other) = (open("a"), open("a"), open("b"));
    let tenants = || pool.inner.lock().tenants.len();
    assert_eq!(tenants(), 2);
    drop((first, other));
    assert_eq!(tenants(), 1);
    drop(second);
    assert_eq!(tenants(), 0);
    assert_eq!(pool.stats().sessions, 0);
}
