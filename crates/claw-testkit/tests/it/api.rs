//! The scripted Messages API over a plain socket.

use claw_testkit::{
    Block,
    api::{Answer, Api, Rule, Scenario, scenarios},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

use crate::client::LONG;

async fn open(api: &Api, method: &str, path: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(api.address()).await.unwrap();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: sk-secret\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

async fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    timeout(LONG, stream.read_to_end(&mut bytes))
        .await
        .unwrap()
        .unwrap();
    String::from_utf8(bytes).unwrap()
}

async fn ask(api: &Api, prompt: &str) -> String {
    let body =
        json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": prompt}]});
    rest(open(api, "POST", "/v1/messages?beta=true", &body.to_string()).await).await
}

fn events(answer: &str) -> Vec<Value> {
    answer
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|line| line.parse().unwrap())
        .collect()
}

#[tokio::test]
async fn a_message_comes_as_events() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let answer = ask(&api, "What is 2 + 2?").await;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.contains("content-type: text/event-stream"));
    assert!(answer.contains("request-id: req_1"));
    let events = events(&answer);
    let text: String = events
        .iter()
        .filter_map(|event| event["delta"]["text"].as_str())
        .collect();
    assert_eq!(text, "Two and two make 4.");
    assert_eq!(events.last().unwrap()["type"], "message_stop");
}

#[tokio::test]
async fn a_message_comes_whole_to_those_who_do_not_stream() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let body = r#"{"model":"m","messages":[]}"#;
    let answer = rest(open(&api, "POST", "/v1/messages", body).await).await;
    assert!(
        answer.contains("content-type: application/json"),
        "{answer}"
    );
    let (_, message) = answer.split_once("\r\n\r\n").unwrap();
    let message: Value = message.parse().unwrap();
    assert_eq!(message["content"][0]["text"], "Two and two make 4.");
    assert_eq!(message["stop_reason"], "end_turn");
}

#[tokio::test]
async fn a_call_may_use_what_a_tool_has_said() {
    let stop = Block::tool_use("TaskStop", json!({"task_id": "$after ID: ", "why": "$5"}));
    let scenario = Scenario::always([stop]).input_tokens(77);
    let api = Api::start(scenario).await.unwrap();
    let result = json!({"type": "tool_result", "content": "It runs, ID: b1-x. Wait."});
    let body = json!({"stream": true, "messages": [{"role": "user", "content": [result]}]});
    let answer = rest(open(&api, "POST", "/v1/messages", &body.to_string()).await).await;
    let events = events(&answer);
    let input: String = events
        .iter()
        .filter_map(|event| event["delta"]["partial_json"].as_str())
        .collect();
    assert_eq!(
        input.parse::<Value>().unwrap(),
        json!({"task_id": "b1-x", "why": "$5"})
    );
    assert_eq!(events[0]["message"]["usage"]["input_tokens"], 77);
}

#[tokio::test]
async fn the_apis_own_tools_and_citations_stream() {
    let found = json!({"type": "web_search_tool_result", "tool_use_id": "s1", "content": []});
    let source = json!({"type": "web_search_result_location", "url": "https://example.com/"});
    let api = Api::start(Scenario::always([
        Block::server_tool_use("s1", "web_search", json!({"query": "claw"})),
        Block::whole_block(found.clone()),
        Block::cited_text("A tool.", [source.clone()]),
    ]))
    .await
    .unwrap();
    let events = events(&ask(&api, "What is claw?").await);
    let opened: Vec<_> = events
        .iter()
        .filter(|event| event["type"] == "content_block_start")
        .map(|event| &event["content_block"])
        .collect();
    assert_eq!(
        *opened[0],
        json!({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}})
    );
    assert_eq!(*opened[1], found);
    let last = events
        .iter()
        .rfind(|event| event["type"] == "content_block_delta")
        .unwrap();
    assert_eq!(
        last["delta"],
        json!({"type": "citations_delta", "citation": source})
    );
    assert_eq!(
        events[events.len() - 2]["delta"]["stop_reason"],
        "end_turn",
        "the API's own tools are no reason to stop"
    );
}

#[tokio::test]
async fn rules_run_out() {
    let api = Api::start(scenarios::overloaded_once()).await.unwrap();
    let answer = ask(&api, "Hello?").await;
    assert!(answer.starts_with("HTTP/1.1 529"), "{answer}");
    assert!(answer.contains(r#""type":"overloaded_error""#));
    assert!(ask(&api, "Hello?").await.contains("message_stop"));
    assert!(ask(&api, "Hello?").await.contains("req_3"));
}

#[tokio::test]
async fn a_message_has_its_headers() {
    let reply = claw_testkit::api::Reply::new([Block::text("x")]).header("x-limit", "5");
    let api = Api::start(Scenario::new("limited", [Rule::new(reply.into())]))
        .await
        .unwrap();
    let answer = ask(&api, "Hello?").await;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.contains("x-limit: 5"), "{answer}");
}

#[tokio::test]
async fn an_error_has_its_headers() {
    let api = Api::start(scenarios::rate_limited()).await.unwrap();
    let answer = ask(&api, "Hello?").await;
    assert!(answer.starts_with("HTTP/1.1 429"), "{answer}");
    assert!(answer.contains("x-should-retry: false"));
}

#[tokio::test]
async fn no_rule_is_an_error_that_says_so() {
    let rule = Rule::new(Answer::message([Block::text("x")])).on_prompt("magic word");
    let api = Api::start(Scenario::new("picky", [rule])).await.unwrap();
    let answer = ask(&api, "Hello?").await;
    assert!(
        answer.starts_with("HTTP/1.1 400") && answer.contains("picky"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_stream_holds_at_its_gates() {
    let api = Api::start(scenarios::slow()).await.unwrap();
    let body = json!({"stream": true, "messages": []}).to_string();
    let mut stream = open(&api, "POST", "/v1/messages", &body).await;
    for (gate, last) in [
        ("first", "content_block_start"),
        ("half", "time "),
        ("end", "gate."),
    ] {
        timeout(LONG, api.gates().reached(gate)).await.unwrap();
        let mut seen = String::new();
        while !seen.contains(last) {
            let mut bytes = [0; 4096];
            let count = timeout(LONG, stream.read(&mut bytes))
                .await
                .unwrap()
                .unwrap();
            assert!(count > 0, "it ended before {last:?}");
            seen.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
        }
        assert!(!seen.contains("content_block_stop"));
        api.gates().open(gate);
    }
    assert!(rest(stream).await.contains("message_stop"));
}

#[tokio::test]
async fn half_an_emoji_goes_out_as_it_is() {
    let api = Api::start(scenarios::cut_emoji()).await.unwrap();
    assert!(
        ask(&api, "Cut an emoji.")
            .await
            .contains(r#""text":"\ud83c"}"#)
    );
}

#[tokio::test]
async fn the_rest_of_the_api_answers_too() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let count = rest(open(&api, "POST", "/v1/messages/count_tokens?beta=true", "{}").await).await;
    assert!(count.ends_with(r#"{"input_tokens":10}"#), "{count}");
    for method in ["HEAD", "GET"] {
        let answer = rest(open(&api, method, "/", "").await).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

#[tokio::test]
async fn requests_are_kept_and_secrets_are_not() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let (request, _) = tokio::join!(
        api.received(claw_testkit::api::ApiRequest::is_message),
        ask(&api, "What is 2 + 2?")
    );
    assert_eq!(request.conversation().prompt, "What is 2 + 2?");
    assert_eq!(request.header("x-api-key"), Some("***"));
    assert_eq!(request.header("host"), Some("localhost"));
    assert_eq!(api.requests(), [request]);
    assert!(!format!("{api:?}").contains("sk-secret"));
}

#[tokio::test]
async fn dropping_it_breaks_held_answers_off() {
    let api = Api::start(scenarios::slow()).await.unwrap();
    let stream = open(
        &api,
        "POST",
        "/v1/messages",
        r#"{"stream":true,"messages":[]}"#,
    )
    .await;
    let address = api.address();
    timeout(LONG, api.gates().reached("first")).await.unwrap();
    drop(api);
    assert!(!rest(stream).await.contains("message_stop"));
    // The port is given back once the server's task has run.
    let refused = async {
        while TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    timeout(LONG, refused).await.expect("it still listens");
}
