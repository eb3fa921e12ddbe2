#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The number of bytes that a line may have.
public let maxLine = 64 << 20

/// A stream could not be read or written.
public struct StreamError: Error, Hashable, Sendable {
    /// The value of `errno`.
    public let code: Int32
}

/// Reads lines of one direction: `LineReader<StdoutMessage>` what claude writes, `LineReader<StdinMessage>` what claude reads,
/// and `LineReader<Entry>` a session's file on disk. It is used by one thread at a time.
///
/// A line is kept in memory until its end, up to `maxLine` bytes.
public final class LineReader<Message: JSONConvertible> {
    private let source: () throws -> [UInt8]
    private var buffer: [UInt8] = []
    /// The number of bytes of the buffer in which no line ends.
    private var searched = 0
    /// Whether the start of the line is left out, because the line is too long.
    private var isLong = false
    private var number = 0

    /// `source` returns the next bytes, at least one, and none at the end.
    public init(source: @escaping () throws -> [UInt8]) {
        self.source = source
    }

    /// Returns the next message, or nil at the end. Blank lines are skipped.
    ///
    /// Throws a `LineError` if the line has no message. The line after it can be read then. Throws the errors of the source.
    public func next() throws -> Message? {
        while let line = try nextLine() {
            do {
                if isLong || line.count > maxLine {
                    isLong = false
                    throw LineError("the line has more than \(maxLine) bytes")
                }
                if line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) {
                    return try Message(jsonValue: try JSON(parsing: line))
                }
            } catch let error as LineError {
                var numbered = error
                numbered.line = number
                throw numbered
            }
        }
        return nil
    }

    /// Returns the next line without its end, or nil at the end. Of a line over the limit only a part is returned.
    private func nextLine() throws -> [UInt8]? {
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                let line = Array(buffer[..<end])
                buffer.removeFirst(end + 1)
                searched = 0
                number += 1
                return line
            }
            searched = buffer.count
            if searched > maxLine {
                isLong = true
                buffer.removeAll()
                searched = 0
            }
            let more = try source()
            if more.isEmpty {
                if buffer.isEmpty && !isLong {
                    return nil
                }
                let line = buffer
                buffer.removeAll()
                searched = 0
                number += 1
                return line
            }
            buffer.append(contentsOf: more)
        }
    }
}

/// Returns a message as a line in UTF-8, with its line feed.
public func lineBytes<Message: JSONConvertible>(_ message: Message) -> [UInt8] {
    var bytes = message.jsonValue.bytes
    bytes.append(0x0A)
    return bytes
}

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
extension LineReader {
    /// Reads from an open file descriptor, such as 0, standard input. The caller closes it. Reading blocks until there are
    /// bytes.
    public convenience init(descriptor: Int32) {
        self.init(source: {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let size = bytes.count
                let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, size) }
                if count >= 0 {
                    return Array(bytes[..<count])
                }
                if errno != EINTR {
                    throw StreamError(code: errno)
                }
            }
        })
    }
}

/// Writes a message as a line to an open file descriptor, such as 1, standard output. It blocks until all is written.
///
/// Throws a `StreamError` if the descriptor cannot be written. A program that writes to a pipe ignores the signal `SIGPIPE`,
/// which otherwise ends it when the reader ends.
public func writeLine<Message: JSONConvertible>(_ message: Message, to descriptor: Int32) throws {
    try writeBytes(lineBytes(message), to: descriptor)
}

/// Writes bytes to an open file descriptor. It blocks until all are written.
///
/// Throws a `StreamError` if the descriptor cannot be written.
public func writeBytes(_ bytes: [UInt8], to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
        let size = rest.count
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, size) }
        if count >= 0 {
            rest = rest.dropFirst(count)
        } else if errno != EINTR {
            throw StreamError(code: errno)
        }
    }
}
#endif
