# frozen_string_literal: true

# Opens a session on a server, and answers its requests. `cargo xtask packages ruby` runs it.
require "claw_server"
require "timeout"

include ClawServer

def expect(is_right, what) = is_right || raise(what)

# Returns the status with which the server refuses a request.
def refusal
  yield
  nil
rescue ResponseError => e
  e.info && e.status
end

def answer(client, id, requests)
  requests.each { |request| client.answer_request(id, request.id, Answer.new(decision: Decision::ALLOW)) }.length
end

def use(origin, token)
  client = Client.new(origin:, token:)
  expect(refusal { Client.new(origin:, token: "wrong").list_projects } == 401, "a wrong token")
  expect(client.health.status == HealthStatus::OK, "the server's health")
  project = client.list_projects.first.name
  id = client.open_session(NewSession.new(project:)).id
  # A text that needs to be escaped in a path.
  expect(refusal { client.read_session("no/such session") } == 404, "a session that does not exist")
  client.send_prompt(id, NewPrompt.new(text: "How many \u00e4pples?"))
  count = answers = 0
  ran = false
  first = nil
  client.watch_session(id) do |event|
    count += 1
    case event
    in SessionEventReset
      first = event.id
      ran ||= event.data.state.phase != Phase::IDLE
      answers += answer(client, id, event.data.requests)
    in SessionEventRequest then answers += answer(client, id, [event.data])
    in SessionEventState
      ran ||= event.data.phase == Phase::RUNNING
      break if ran && event.data.phase == Phase::IDLE
    in Unknown | LineError then raise "an unknown event: #{event.inspect}"
    else # Another event.
    end
  end
  said = client.read_elements(id).map(&:content).grep(AssistantText).map(&:text).join
  expect(!client.list_sessions(project:, limit: 10).sessions.empty?, "no sessions")
  client.search_sessions("\u00e4pples & pears")
  client.read_usage(by: UsageBy::MODEL)
  expect(!client.read_usage_csv.empty?, "no table")
  url, = client.connect_session(id, x_claw_viewer: "Ruby")
  expect(url.start_with?("ws://"), url)
  expect(SocketRequestInterrupt.new.to_json == '{"type":"interrupt"}', "a message")
  text = %({"type":"turn_interrupted","conversationId":"#{id}","duringToolUse":true})
  expect(Client.read_message(text).is_a?(TurnInterrupted), "a message of the server")
  # The events after the first one come again, and the stream ends when the session is closed.
  resumed = client.watch_session(id, last_event_id: first)
  again = [resumed.next]
  client.close_session(id)
  loop { again << resumed.next }
  expect(again.none?(SessionEventReset) && again.last.is_a?(SessionEventClosed), "the stream was not resumed")
  puts "#{count} events, #{again.length} resumed, #{answers} request answered, #{said.inspect}"
end

Timeout.timeout(60) { use(ENV.fetch("CLAW_ORIGIN"), ENV.fetch("CLAW_TOKEN")) }
