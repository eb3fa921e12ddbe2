/// A JSON value as it was read: an object keeps the order of its keys, and a number keeps its text.
public enum JSON: Hashable, Sendable {
    case null
    case boolean(Bool)
    case number(JSONNumber)
    case string(JSONText)
    case array([JSON])
    case object(JSONObject)

    /// The number of levels that a text may have. Deeper texts are refused, so that none exhausts the stack.
    public static let maxDepth = 512

    /// Reads a text that has one JSON value and nothing else.
    ///
    /// Throws a `LineError` if the text has none, or an object in which a key occurs twice.
    public init(parsing text: String) throws {
        try self.init(parsing: Array(text.utf8))
    }

    /// Reads a text in UTF-8 that has one JSON value and nothing else.
    ///
    /// Throws a `LineError` if the text has none, or an object in which a key occurs twice.
    public init(parsing bytes: [UInt8]) throws {
        // Bytes that are no UTF-8 are replaced in the string.
        guard String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes) else {
            throw LineError("the line is not UTF-8")
        }
        var parser = Parser(bytes)
        self = try parser.parse()
    }

    /// The text of the value in UTF-8. It has no line feed.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// The text of the value. It has no line feed.
    public var text: String {
        return String(decoding: bytes, as: UTF8.self)
    }

    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .null:
            bytes.append(contentsOf: "null".utf8)
        case .boolean(let value):
            bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number):
            bytes.append(contentsOf: number.text.utf8)
        case .string(let text):
            text.append(to: &bytes)
        case .array(let items):
            bytes.append(Ascii.leftBracket)
            var isFirst = true
            for item in items {
                if !isFirst {
                    bytes.append(Ascii.comma)
                }
                isFirst = false
                item.append(to: &bytes)
            }
            bytes.append(Ascii.rightBracket)
        case .object(let object):
            bytes.append(Ascii.leftBrace)
            var isFirst = true
            for key in object.keys {
                if !isFirst {
                    bytes.append(Ascii.comma)
                }
                isFirst = false
                key.append(to: &bytes)
                bytes.append(Ascii.colon)
                (object[key] ?? JSON.null).append(to: &bytes)
            }
            bytes.append(Ascii.rightBrace)
        }
    }
}

extension JSON: CustomStringConvertible {
    public var description: String {
        return text
    }
}

/// A number. It is kept as text, so that `1`, `1.0` and numbers of any size are written as they came.
public struct JSONNumber: Hashable, Sendable {
    /// The number as it is written.
    public let text: String

    /// Returns nil if the text is no JSON number.
    public init?(text: String) {
        var parser = Parser(Array(text.utf8))
        guard parser.isNumber() else {
            return nil
        }
        self.text = text
    }

    public init(_ value: Int64) {
        self.text = String(value)
    }

    /// Returns nil if the value is not finite.
    public init?(double value: Double) {
        guard value.isFinite else {
            return nil
        }
        self.text = String(value)
    }

    /// A text that the parser has found to be a number.
    init(checked text: String) {
        self.text = text
    }

    /// The nearest number of 64 bits with a floating point. It is infinite if the number is larger than all of them.
    public var double: Double {
        return Double(text) ?? Double.infinity
    }

    /// The number, or nil if it is written with a fraction or an exponent, or has more than 64 bits.
    public var integer: Int64? {
        // `-0` is a float, because an integer would lose its sign.
        return text == "-0" ? nil : Int64(text)
    }
}

extension JSONNumber: ExpressibleByIntegerLiteral, CustomStringConvertible {
    public init(integerLiteral value: Int64) {
        self.init(value)
    }

    public var description: String {
        return text
    }
}

/// A text of JSON. It is written as a string literal, and `string` is its text.
///
/// A JSON text may have half of a surrogate pair, such as `"\ud83d"`, which a `String` cannot have. `string` has U+FFFD in
/// its place, `utf16` has the half, and the text is written with it as an escape, as it came.
///
/// Texts are equal if they have the same characters in Unicode, without regard to equivalent ones.
public struct JSONText: Sendable {
    /// The text, with U+FFFD in place of each half of a surrogate pair.
    public let string: String

    /// The code units of a text that has half of a surrogate pair.
    private let halves: [UInt16]?

    public init(_ string: String) {
        self.string = string
        self.halves = nil
    }

    public init(utf16: [UInt16]) {
        let string = String(decoding: utf16, as: UTF16.self)
        self.string = string
        self.halves = string.utf16.elementsEqual(utf16) ? nil : utf16
    }

    /// The code units of the text.
    public var utf16: [UInt16] {
        return halves ?? Array(string.utf16)
    }

    /// Whether the text has half of a surrogate pair, so that `string` is not all of it.
    public var hasHalfPair: Bool {
        return halves != nil
    }

    /// Appends the text as a JSON string.
    func append(to bytes: inout [UInt8]) {
        bytes.append(Ascii.quote)
        if let units = halves {
            JSONText.append(units: units, to: &bytes)
        } else {
            for byte in string.utf8 {
                JSONText.append(byte: byte, to: &bytes)
            }
        }
        bytes.append(Ascii.quote)
    }

    private static func append(byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case Ascii.quote, Ascii.backslash:
            bytes.append(Ascii.backslash)
            bytes.append(byte)
        case 0x0A:
            bytes.append(contentsOf: "\\n".utf8)
        case 0x0D:
            bytes.append(contentsOf: "\\r".utf8)
        case 0x09:
            bytes.append(contentsOf: "\\t".utf8)
        case 0x00...0x1F:
            append(escape: UInt16(byte), to: &bytes)
        default:
            bytes.append(byte)
        }
    }

    private static func append(escape unit: UInt16, to bytes: inout [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(contentsOf: "\\u".utf8)
        for place in 0..<4 {
            let shift = UInt16(12 - 4 * place)
            bytes.append(digits[Int((unit >> shift) & 15)])
        }
    }

    private static func append(units: [UInt16], to bytes: inout [UInt8]) {
        var at = 0
        while at < units.count {
            let unit = units[at]
            at += 1
            var scalar = Unicode.Scalar(unit)
            if unit >= 0xD800 && unit < 0xDC00 && at < units.count {
                let low = units[at]
                if low >= 0xDC00 && low < 0xE000 {
                    at += 1
                    let first = UInt32(unit) - 0xD800
                    let second = UInt32(low) - 0xDC00
                    scalar = Unicode.Scalar(0x10000 + first * 0x400 + second)
                }
            }
            if let whole = scalar {
                for byte in String(Character(whole)).utf8 {
                    append(byte: byte, to: &bytes)
                }
            } else {
                append(escape: unit, to: &bytes)
            }
        }
    }
}

extension JSONText: Hashable {
    public static func == (left: JSONText, right: JSONText) -> Bool {
        return left.halves == right.halves && left.string.utf8.elementsEqual(right.string.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        // Equal texts have equal strings.
        hasher.combine(string)
    }
}

extension JSONText: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral value: String) {
        self.init(value)
    }

    public var description: String {
        return string
    }
}

/// An object. It keeps the order of its keys. Objects are equal without regard to the order.
public struct JSONObject: Sendable {
    /// The keys, in their order.
    public private(set) var keys: [JSONText] = []
    private var values: [JSONText: JSON] = [:]

    public init() {}

    public var isEmpty: Bool {
        return keys.isEmpty
    }

    public var count: Int {
        return keys.count
    }

    /// The value of a key. Nil is no value of JSON: it removes the key.
    public subscript(key: JSONText) -> JSON? {
        get {
            return values[key]
        }
        set {
            if let value = newValue {
                if values.updateValue(value, forKey: key) == nil {
                    keys.append(key)
                }
            } else if values.removeValue(forKey: key) != nil {
                keys.removeAll { $0 == key }
            }
        }
    }
}

extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        return left.values == right.values
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(values)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// The last value of a key that occurs twice counts.
    public init(dictionaryLiteral elements: (JSONText, JSON)...) {
        self.init()
        for (key, value) in elements {
            self[key] = value
        }
    }
}
