use super::*;

#[test]
fn what_clients_send_and_what_the_server_sends_is_the_same_where_it_has_one_name() {
    let mut generators = Generators::new();
    let mut paths = Map::new();
    for route in &routes() {
        add(route, &mut paths, &mut generators);
    }
    let given = generators.output.take_definitions(true);
    let mut shared = 0;
    for (name, taken) in generators.input.take_definitions(true) {
        if let Some(given) = given.get(&name) {
            assert_eq!(taken, *given, "{name}");
            shared += 1;
        }
    }
    assert!(shared > 3, "{shared}");
}
