import ClawProtocol

// Reads the lines of a direction, and writes what the package made of each. `cargo xtask packages swift` runs it.

/// Returns the value of the innermost union in which a value is, and the name of its case.
func innermost(_ value: Any) -> (label: String, value: Any) {
    var label = ""
    var value = value
    while true {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == Mirror.DisplayStyle.enum, !(value is JSON), let child = mirror.children.first else {
            return (label, value)
        }
        label = child.label ?? ""
        value = child.value
    }
}

/// Returns the number of unknown values in a value.
func unknown(_ value: Any) -> Int {
    if value is JSON || value is JSONObject || value is JSONText || value is JSONNumber || value is Bool || value is Int64 {
        return 0
    }
    let mirror = Mirror(reflecting: value)
    let isEnum = mirror.displayStyle == Mirror.DisplayStyle.enum
    var count = 0
    for child in mirror.children {
        if isEnum && child.label == "unknown" {
            count += 1
        } else {
            count += unknown(child.value)
        }
    }
    return count
}

func name(_ value: Any) -> String {
    return String(describing: type(of: value))
}

/// Returns the start of an output, up to the line.
func start<Message: JSONConvertible>(_ message: Message) -> String {
    let found = innermost(message)
    if found.label == "unknown" {
        return "unknown\t"
    }
    var kind = name(found.value)
    if let request = found.value as? ControlRequest {
        let body = innermost(request.request)
        if body.label != "unknown" {
            kind += "/" + name(body.value)
        }
    }
    return "read\t\(kind)\t\(unknown(message))\t"
}

/// Standard output, which is written in large parts.
var output: [UInt8] = []

func flush() throws {
    try writeBytes(output, to: 1)
    output.removeAll(keepingCapacity: true)
}

func readAll<Message: JSONConvertible>(_ reader: LineReader<Message>) throws {
    while true {
        do {
            guard let message = try reader.next() else {
                return
            }
            output.append(contentsOf: start(message).utf8)
            output.append(contentsOf: lineBytes(message))
        } catch let error as LineError {
            let reason = error.reason.split(separator: "\t").joined(separator: " ")
            output.append(contentsOf: "error\t\(error.path)\t\(reason)\n".utf8)
        }
        if output.count > 1 << 20 {
            try flush()
        }
    }
}

let direction = CommandLine.arguments.last ?? ""
switch direction {
case "stdout":
    try readAll(LineReader<StdoutMessage>(descriptor: 0))
case "stdin":
    try readAll(LineReader<StdinMessage>(descriptor: 0))
default:
    try readAll(LineReader<Entry>(descriptor: 0))
}
try flush()
