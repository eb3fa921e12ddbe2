/// Bytes that have a meaning in JSON.
enum Ascii {
    static let quote: UInt8 = 0x22
    static let plus: UInt8 = 0x2B
    static let comma: UInt8 = 0x2C
    static let minus: UInt8 = 0x2D
    static let dot: UInt8 = 0x2E
    static let slash: UInt8 = 0x2F
    static let zero: UInt8 = 0x30
    static let nine: UInt8 = 0x39
    static let colon: UInt8 = 0x3A
    static let leftBracket: UInt8 = 0x5B
    static let backslash: UInt8 = 0x5C
    static let rightBracket: UInt8 = 0x5D
    static let leftBrace: UInt8 = 0x7B
    static let rightBrace: UInt8 = 0x7D
}

/// Reads a text that has one JSON value.
struct Parser {
    private let bytes: [UInt8]
    private var at = 0
    /// The number of arrays and objects in which the value is.
    private var depth = 0

    /// The bytes have to be UTF-8.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func parse() throws -> JSON {
        let json = try value()
        passSpace()
        if at < bytes.count {
            throw failure()
        }
        return json
    }

    /// Whether the bytes are a number and nothing else.
    mutating func isNumber() -> Bool {
        return passNumber() && at == bytes.count
    }

    private func failure() -> LineError {
        return LineError("no JSON at byte \(at)")
    }

    /// The next byte, or 0 at the end. A byte 0 is in no token of JSON.
    private var next: UInt8 {
        return at < bytes.count ? bytes[at] : 0
    }

    private mutating func pass(_ byte: UInt8) -> Bool {
        if next != byte {
            return false
        }
        at += 1
        return true
    }

    private mutating func passSpace() {
        while next == 0x20 || next == 0x09 || next == 0x0A || next == 0x0D {
            at += 1
        }
    }

    private mutating func value() throws -> JSON {
        if depth > JSON.maxDepth {
            throw failure()
        }
        passSpace()
        switch next {
        case Ascii.leftBrace:
            return try members()
        case Ascii.leftBracket:
            return try items()
        case Ascii.quote:
            return JSON.string(try string())
        case 0x74:
            try word("true")
            return JSON.boolean(true)
        case 0x66:
            try word("false")
            return JSON.boolean(false)
        case 0x6E:
            try word("null")
            return JSON.null
        default:
            let start = at
            if !passNumber() {
                throw failure()
            }
            return JSON.number(JSONNumber(checked: String(decoding: bytes[start..<at], as: UTF8.self)))
        }
    }

    private mutating func word(_ word: String) throws {
        for byte in word.utf8 {
            if !pass(byte) {
                throw failure()
            }
        }
    }

    private mutating func members() throws -> JSON {
        var object = JSONObject()
        at += 1
        depth += 1
        passSpace()
        if pass(Ascii.rightBrace) {
            depth -= 1
            return JSON.object(object)
        }
        repeat {
            passSpace()
            if next != Ascii.quote {
                throw failure()
            }
            let key = try string()
            if object[key] != nil {
                throw LineError("the key occurs twice").inside(key.string)
            }
            passSpace()
            if !pass(Ascii.colon) {
                throw failure()
            }
            do {
                object[key] = try value()
            } catch let error as LineError {
                // Only a key that occurs twice has a path.
                throw error.path.isEmpty ? error : error.inside(key.string)
            }
            passSpace()
        } while pass(Ascii.comma)
        if !pass(Ascii.rightBrace) {
            throw failure()
        }
        depth -= 1
        return JSON.object(object)
    }

    private mutating func items() throws -> JSON {
        var items: [JSON] = []
        at += 1
        depth += 1
        passSpace()
        if pass(Ascii.rightBracket) {
            depth -= 1
            return JSON.array(items)
        }
        repeat {
            do {
                items.append(try value())
            } catch let error as LineError {
                throw error.path.isEmpty ? error : error.inside(at: items.count)
            }
            passSpace()
        } while pass(Ascii.comma)
        if !pass(Ascii.rightBracket) {
            throw failure()
        }
        depth -= 1
        return JSON.array(items)
    }

    private mutating func string() throws -> JSONText {
        at += 1
        var start = at
        // The code units of a text that has escapes.
        var units: [UInt16] = []
        var hasEscapes = false
        while true {
            if at == bytes.count || bytes[at] < 0x20 {
                throw failure()
            }
            let byte = bytes[at]
            if byte == Ascii.quote {
                let rest = String(decoding: bytes[start..<at], as: UTF8.self)
                at += 1
                if !hasEscapes {
                    return JSONText(rest)
                }
                units.append(contentsOf: rest.utf16)
                return JSONText(utf16: units)
            }
            if byte == Ascii.backslash {
                if at > start {
                    units.append(contentsOf: String(decoding: bytes[start..<at], as: UTF8.self).utf16)
                }
                hasEscapes = true
                at += 1
                units.append(try escape())
                start = at
            } else {
                at += 1
            }
        }
    }

    /// Reads an escape after its backslash.
    private mutating func escape() throws -> UInt16 {
        let letter = next
        var unit: UInt16
        switch letter {
        case Ascii.quote, Ascii.backslash, Ascii.slash:
            unit = UInt16(letter)
        case 0x62:
            unit = 0x08
        case 0x66:
            unit = 0x0C
        case 0x6E:
            unit = 0x0A
        case 0x72:
            unit = 0x0D
        case 0x74:
            unit = 0x09
        case 0x75:
            unit = 0
            for _ in 0..<4 {
                at += 1
                guard let digit = Parser.digit(next) else {
                    throw failure()
                }
                unit = unit * 16 + digit
            }
        default:
            throw failure()
        }
        at += 1
        return unit
    }

    private static func digit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case 0x30...0x39:
            return UInt16(byte) - 0x30
        case 0x41...0x46:
            return UInt16(byte) - 0x41 + 10
        case 0x61...0x66:
            return UInt16(byte) - 0x61 + 10
        default:
            return nil
        }
    }

    private mutating func passDigits() -> Bool {
        let start = at
        while next >= Ascii.zero && next <= Ascii.nine {
            at += 1
        }
        return at > start
    }

    private mutating func passNumber() -> Bool {
        _ = pass(Ascii.minus)
        if !pass(Ascii.zero) && !passDigits() {
            return false
        }
        if pass(Ascii.dot) && !passDigits() {
            return false
        }
        if pass(0x65) || pass(0x45) {
            if !pass(Ascii.plus) {
                _ = pass(Ascii.minus)
            }
            return passDigits()
        }
        return true
    }
}
