#if canImport(Darwin)
import Foundation

/// The number of bytes that a response, an event or a message may have.
public let maxBody = 64 << 20

/// A client of `claw serve`: a method for each request that the server takes.
public final class Client: Sendable {
    private let origin: String
    private let token: String
    private let session: URLSession

    /// `origin` is that of the server, such as `http://127.0.0.1:8787`.
    public init(origin: String, token: String, session: URLSession = URLSession.shared) {
        self.origin = origin.hasSuffix("/") ? String(origin.dropLast()) : origin
        self.token = token
        self.session = session
    }

    func nothing(_ call: Call) async throws {
        _ = try await bytes(call)
    }

    func text(_ call: Call) async throws -> String {
        return String(decoding: try await bytes(call), as: UTF8.self)
    }

    func result<Value: JSONConvertible>(_ call: Call) async throws -> Value {
        return try Value(jsonValue: try JSON(parsing: try await bytes(call)))
    }

    func resultOrNil<Value: JSONConvertible>(_ call: Call) async throws -> Value? {
        let body = try await bytes(call)
        return body.isEmpty ? nil : try Value(jsonValue: try JSON(parsing: body))
    }

    func events<Event: JSONConvertible>(_ call: Call) async throws -> EventStream<Event> {
        var sent = try request(call)
        sent.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        // The server sends a comment from time to time.
        sent.timeoutInterval = 3600
        return EventStream(bytes: try await send(sent))
    }

    func socket<Sent: JSONConvertible, Received: JSONConvertible>(_ call: Call) throws -> Socket<Sent, Received> {
        var sent = try request(call)
        if let url = sent.url?.absoluteString {
            sent.url = URL(string: "ws" + String(url.dropFirst("http".count)))
        }
        return Socket(task: session.webSocketTask(with: sent))
    }

    private func bytes(_ call: Call) async throws -> [UInt8] {
        return try await Client.read(try await send(try request(call)))
    }

    private func request(_ call: Call) throws -> URLRequest {
        let query = call.query.isEmpty ? "" : "?" + call.query.joined(separator: "&")
        guard let url = URL(string: origin + call.path + query) else {
            throw LineError("the origin is no URL")
        }
        var request = URLRequest(url: url)
        request.httpMethod = call.method
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        for (key, value) in call.headers {
            request.setValue(value, forHTTPHeaderField: key)
        }
        if !call.isOpen {
            request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization")
        }
        if let body = call.body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(body.bytes)
        }
        return request
    }

    /// Returns the body of a response that is no error.
    private func send(_ request: URLRequest) async throws -> URLSession.AsyncBytes {
        let (body, response) = try await session.bytes(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        if status >= 200 && status < 300 {
            return body
        }
        let json = try? JSON(parsing: try await Client.read(body))
        let found = json.flatMap { try? ErrorBody(jsonValue: $0) }
        throw ResponseError(status: status, info: found?.error)
    }

    private static func read(_ body: URLSession.AsyncBytes) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await byte in body {
            bytes.append(byte)
            if bytes.count > maxBody {
                throw LineError("the response has more than \(maxBody) bytes")
            }
        }
        return bytes
    }
}

/// A response that is an error.
public struct ResponseError: Error, Hashable, Sendable {
    /// The status of HTTP.
    public let status: Int

    /// What is wrong. It is nil if the response is not from the server, but from a proxy before it.
    public let info: ErrorInfo?
}

/// A request, while its parameters are added.
struct Call {
    let method: String
    let path: String
    var isOpen = false
    var query: [String] = []
    var headers: [String: String] = [:]
    var body: JSON?

    init(_ method: String, _ path: String) {
        self.method = method
        self.path = path
    }

    mutating func query(_ key: String, _ value: String?) {
        if let value = value {
            query.append(key + "=" + escaped(value))
        }
    }

    mutating func header(_ key: String, _ value: String?) {
        headers[key] = value
    }
}

/// Returns a text as a part of a path or of a query.
func escaped(_ text: String) -> String {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    return text.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: letters)) ?? ""
}

/// Events, which are read while the server sends them. A task that is cancelled ends the stream.
public struct EventStream<Event: JSONConvertible>: AsyncSequence {
    public typealias Element = Event

    let bytes: URLSession.AsyncBytes

    public func makeAsyncIterator() -> AsyncIterator {
        return AsyncIterator(bytes: bytes.makeAsyncIterator())
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        var bytes: URLSession.AsyncBytes.AsyncIterator
        private var id: String?

        init(bytes: URLSession.AsyncBytes.AsyncIterator) {
            self.bytes = bytes
        }

        /// Waits for the next event. Throws a `LineError` if the event cannot be read; the event after it can be read then.
        public mutating func next() async throws -> Event? {
            var line: [UInt8] = []
            var name = ""
            var data: [UInt8]?
            var size = 0
            while let byte = try await bytes.next() {
                size += 1
                if size > maxBody {
                    throw LineError("the event has more than \(maxBody) bytes")
                }
                if byte != 0x0A {
                    line.append(byte)
                    continue
                }
                if line.last == 0x0D {
                    line.removeLast()
                }
                if line.isEmpty {
                    if let data = data {
                        return try event(name, data)
                    }
                    name = ""
                    size = 0
                    continue
                }
                let (key, value) = EventStream.field(line)
                line.removeAll()
                if key == "id" {
                    id = String(decoding: value, as: UTF8.self)
                } else if key == "event" {
                    name = String(decoding: value, as: UTF8.self)
                } else if key == "data" {
                    let before = data.map { $0 + [0x0A] }
                    data = (before ?? []) + value
                }
            }
            return nil
        }

        private func event(_ name: String, _ data: [UInt8]) throws -> Event {
            var object = JSONObject()
            object["event"] = JSON.string(JSONText(name))
            object["data"] = try JSON(parsing: data)
            if let id = id {
                object["id"] = JSON.string(JSONText(id))
            }
            return try Event(jsonValue: JSON.object(object))
        }
    }

    /// Returns the key and the value of a line.
    private static func field(_ line: [UInt8]) -> (String, [UInt8]) {
        guard let colon = line.firstIndex(of: 0x3A) else {
            return (String(decoding: line, as: UTF8.self), [])
        }
        let value = line[(colon + 1)...]
        let key = String(decoding: line[..<colon], as: UTF8.self)
        return (key, Array(value.first == 0x20 ? value.dropFirst() : value))
    }
}

/// A WebSocket.
public final class Socket<Sent: JSONConvertible, Received: JSONConvertible> {
    private let task: URLSessionWebSocketTask

    init(task: URLSessionWebSocketTask) {
        self.task = task
        task.maximumMessageSize = maxBody
        task.resume()
    }

    /// Sends a message.
    public func send(_ message: Sent) async throws {
        try await task.send(URLSessionWebSocketTask.Message.string(message.jsonValue.text))
    }

    /// Waits for the next message. Throws a `LineError` if it cannot be read, and another error when the connection has ended.
    public func next() async throws -> Received {
        switch try await task.receive() {
        case .string(let text):
            return try Received(jsonValue: try JSON(parsing: text))
        default:
            throw LineError("the message is no text")
        }
    }

    /// Ends the connection.
    public func close() {
        task.cancel(with: URLSessionWebSocketTask.CloseCode.normalClosure, reason: nil)
    }
}
#endif
