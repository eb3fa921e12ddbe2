use super::*;

#[test]
fn what_clients_send_and_what_the_server_sends_is_the_same_where_it_has_one_name() {
    let mut generators = Generators::new();
    let mut paths = Map::new();
    for row in &rows() {
        add(row, &mut paths, &mut generators);
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

#[test]
fn every_parameter_of_a_path_is_declared_once_and_described() {
    let document = openapi::document(&Interface::read());
    let mut found = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        let in_path: Vec<_> = path
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
            .collect();
        for (method, operation) in operations.as_object().unwrap() {
            let parameters = operation["parameters"].as_array();
            let declared = parameters.into_iter().flatten();
            let declared: Vec<_> = declared
                .filter(|parameter| parameter["in"] == "path")
                .inspect(|parameter| {
                    assert_eq!(parameter["required"], true, "{method} {path}");
                    let text = parameter["description"].as_str();
                    assert!(text.is_some(), "{method} {path}: {parameter}");
                })
                .map(|parameter| parameter["name"].as_str().unwrap())
                .collect();
            assert_eq!(declared, in_path, "{method} {path}");
            found += declared.len();
        }
    }
    assert!(found > 20, "{found}");
}
