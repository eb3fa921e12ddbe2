// Opens a session on a server, and answers its requests. `cargo xtask packages swift` runs it.
import ClawServer

#if canImport(Darwin)
import Foundation

struct Failure: Error {
    let what: String
}

func check(_ isRight: Bool, _ what: String) throws {
    if !isRight {
        throw Failure(what: what)
    }
}

/// Returns the status with which the server refuses a request.
func refusal(_ request: () async throws -> Void) async throws -> Int? {
    do {
        try await request()
        return nil
    } catch let error as ResponseError {
        return error.info == nil ? nil : error.status
    }
}

func answer(_ client: Client, _ id: JSONText, _ requests: [Pending]) async throws -> Int {
    for request in requests {
        _ = try await client.answerRequest(id: id, request: request.id, body: Answer(decision: Decision.allow))
    }
    return requests.count
}

/// Sends a prompt over a WebSocket, answers its request, and returns the number of messages up to the turn's end.
func onSocket(_ client: Client, _ id: JSONText) async throws -> Int {
    let socket = try client.connectSession(id: id, xClawViewer: "Swift")
    try await socket.send(SocketRequest.socketRequestPrompt(SocketRequestPrompt(text: "And now?")))
    var count = 0
    while true {
        count += 1
        guard case .wrapperMessage(let message) = try await socket.next() else {
            continue
        }
        if case .permissionRequest(let request) = message {
            let answer = Answer(decision: Decision.allow)
            let permission = SocketRequestPermissionAnswer(answer: answer, requestId: request.requestId.rawValue)
            try await socket.send(SocketRequest.socketRequestPermissionAnswer(permission))
        } else if case .turnEnded = message {
            socket.close()
            return count
        }
    }
}

func use() async throws {
    let environment = ProcessInfo.processInfo.environment
    let origin = environment["CLAW_ORIGIN"] ?? ""
    let client = Client(origin: origin, token: environment["CLAW_TOKEN"] ?? "")
    let stranger = Client(origin: origin, token: "wrong")
    try check(try await refusal { _ = try await stranger.listProjects() } == 401, "a wrong token")
    try check(try await client.health().status == HealthStatus.ok, "the server's health")
    let project = try await client.listProjects()[0].name
    let id = try await client.openSession(body: NewSession(project: project)).id
    // A text that needs to be escaped in a path.
    let missing = try await refusal { _ = try await client.readSession(id: "no/such session") }
    try check(missing == 404, "a session that does not exist")
    _ = try await client.sendPrompt(id: id, body: NewPrompt(text: "How many \u{e4}pples?"))
    var (count, answers, ran) = (0, 0, false)
    var first: JSONText?
    events: for try await event in try await client.watchSession(id: id) {
        count += 1
        switch event {
        case .sessionEventReset(let reset):
            first = reset.id
            ran = ran || reset.data.state.phase != Phase.idle
            answers += try await answer(client, id, reset.data.requests)
        case .sessionEventRequest(let request):
            answers += try await answer(client, id, [request.data])
        case .sessionEventState(let state):
            ran = ran || state.data.phase == Phase.running
            if ran && state.data.phase == Phase.idle {
                break events
            }
        case .unknown(let json):
            throw Failure(what: "an unknown event: \(json)")
        default:
            break
        }
    }
    var said = ""
    for element in try await client.readElements(id: id) {
        if case .assistantText(let text) = element.content {
            said += text.text.string
        }
    }
    try check(!(try await client.listSessions(limit: 10, project: project).sessions.isEmpty), "no sessions")
    _ = try await client.searchSessions(q: "\u{e4}pples & pears")
    _ = try await client.readUsage(by: UsageBy.model)
    try check(!(try await client.readUsageCsv().isEmpty), "no table")
    let messages = try await onSocket(client, id)
    // The events after the first one come again, and the stream ends when the session is closed.
    let resumed = try await client.watchSession(id: id, lastEventId: first)
    try await client.closeSession(id: id)
    var (again, isClosed) = (0, false)
    for try await event in resumed {
        again += 1
        if case .sessionEventReset = event {
            throw Failure(what: "the stream was not resumed")
        }
        if case .sessionEventClosed = event {
            isClosed = true
        }
    }
    try check(isClosed && again >= count, "\(count) events, then \(again)")
    print("\(count) events, \(again) resumed, \(messages) messages, \(answers) request answered, \"\(said)\"")
}

Task {
    try await Task.sleep(nanoseconds: 60_000_000_000)
    exit(2)
}
try await use()
#else
print("not used: the client is for the systems of Apple")
#endif
