/// What is wrong with a line or a value. The lines after it can be read.
public struct LineError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Describes the mistake.
    public let reason: String

    /// Leads to the mistake, such as `message.content[2].type`. It is empty if the line as a whole is wrong.
    public private(set) var path = ""

    /// The number of the line, from 1. It is 0 if the value was not read by a `LineReader`.
    public internal(set) var line = 0

    init(_ reason: String) {
        self.reason = reason
    }

    public var description: String {
        let start = line > 0 ? "line \(line): " : ""
        return start + (path.isEmpty ? "" : path + ": ") + reason
    }

    /// Adds the key of the value that has the mistake.
    func inside(_ key: String) -> LineError {
        var error = self
        error.path = path.isEmpty || path.hasPrefix("[") ? key + path : key + "." + path
        return error
    }

    /// Adds the index of the value that has the mistake.
    func inside(at index: Int) -> LineError {
        return inside("[\(index)]")
    }
}
