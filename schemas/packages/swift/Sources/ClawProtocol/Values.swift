/// A value of the protocol that is read from JSON and written as JSON.
public protocol JSONConvertible {
    /// Reads a value. Throws a `LineError` if the JSON has another form.
    init(jsonValue: JSON) throws

    /// The value as JSON, with all of its fields, also those that its type does not know.
    var jsonValue: JSON { get }
}

/// A field that may be absent, and may be null.
public enum Presence<Value> {
    case absent
    case null
    case value(Value)

    /// The value, or nil if the field is absent or null.
    public var wrapped: Value? {
        if case .value(let value) = self {
            return value
        }
        return nil
    }
}

extension Presence: Equatable where Value: Equatable {}

extension Presence: Hashable where Value: Hashable {}

extension Presence: Sendable where Value: Sendable {}

extension JSON: JSONConvertible {
    public init(jsonValue: JSON) throws {
        self = jsonValue
    }

    public var jsonValue: JSON {
        return self
    }

    /// What an error calls the kind of the value.
    private var kind: String {
        switch self {
        case .null:
            return "null"
        case .boolean:
            return "a boolean"
        case .number:
            return "a number"
        case .string:
            return "a string"
        case .array:
            return "an array"
        case .object:
            return "an object"
        }
    }

    /// Returns the error for a value of another kind than the expected one.
    func unexpected(_ expected: String) -> LineError {
        return LineError("\(kind) in place of \(expected)")
    }

    var isBoolean: Bool {
        if case .boolean = self {
            return true
        }
        return false
    }

    var isNumber: Bool {
        if case .number = self {
            return true
        }
        return false
    }

    var isString: Bool {
        if case .string = self {
            return true
        }
        return false
    }

    var isArray: Bool {
        if case .array = self {
            return true
        }
        return false
    }

    var isObject: Bool {
        if case .object = self {
            return true
        }
        return false
    }

    /// Whether this is an object with a key that has one of the values, or any if none is named.
    func has(_ key: JSONText, _ values: [JSON]) -> Bool {
        guard case .object(let object) = self, let value = object[key] else {
            return false
        }
        return values.isEmpty || values.contains(value)
    }

    /// Whether this is an object without the key, or with one of the values.
    func mayHave(_ key: JSONText, _ values: [JSON]) -> Bool {
        guard case .object(let object) = self else {
            return false
        }
        return object[key] == nil || has(key, values)
    }
}

extension JSONText: JSONConvertible {
    public init(jsonValue: JSON) throws {
        guard case .string(let text) = jsonValue else {
            throw jsonValue.unexpected("a string")
        }
        self = text
    }

    public var jsonValue: JSON {
        return JSON.string(self)
    }
}

extension JSONNumber: JSONConvertible {
    public init(jsonValue: JSON) throws {
        guard case .number(let number) = jsonValue else {
            throw jsonValue.unexpected("a number")
        }
        self = number
    }

    public var jsonValue: JSON {
        return JSON.number(self)
    }
}

extension Bool: JSONConvertible {
    public init(jsonValue: JSON) throws {
        guard case .boolean(let value) = jsonValue else {
            throw jsonValue.unexpected("a boolean")
        }
        self = value
    }

    public var jsonValue: JSON {
        return JSON.boolean(self)
    }
}

extension Int64: JSONConvertible {
    public init(jsonValue: JSON) throws {
        guard case .number(let number) = jsonValue else {
            throw jsonValue.unexpected("an integer")
        }
        guard let value = number.integer else {
            throw LineError("\(number.text) is no integer of 64 bits")
        }
        self = value
    }

    public var jsonValue: JSON {
        return JSON.number(JSONNumber(self))
    }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    public init(jsonValue: JSON) throws {
        guard case .array(let items) = jsonValue else {
            throw jsonValue.unexpected("an array")
        }
        var values: [Element] = []
        values.reserveCapacity(items.count)
        for item in items {
            do {
                values.append(try Element(jsonValue: item))
            } catch let error as LineError {
                throw error.inside(at: values.count)
            }
        }
        self = values
    }

    public var jsonValue: JSON {
        return JSON.array(self.map { $0.jsonValue })
    }
}

extension Dictionary: JSONConvertible where Key == JSONText, Value: JSONConvertible {
    public init(jsonValue: JSON) throws {
        guard case .object(let object) = jsonValue else {
            throw jsonValue.unexpected("an object")
        }
        var values: [JSONText: Value] = [:]
        for key in object.keys {
            let value: Value = try readValue(object[key] ?? JSON.null, in: key)
            values.updateValue(value, forKey: key)
        }
        self = values
    }

    /// The keys are in the order of their characters.
    public var jsonValue: JSON {
        var object = JSONObject()
        let sorted = self.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
        for (key, value) in sorted {
            object[key] = value.jsonValue
        }
        return JSON.object(object)
    }
}

/// A value or null, as an item of a list or of a dictionary.
extension Optional: JSONConvertible where Wrapped: JSONConvertible {
    public init(jsonValue: JSON) throws {
        if jsonValue == JSON.null {
            self = .none
        } else {
            self = .some(try Wrapped(jsonValue: jsonValue))
        }
    }

    public var jsonValue: JSON {
        switch self {
        case .none:
            return JSON.null
        case .some(let value):
            return value.jsonValue
        }
    }
}

/// Reads the value of a key.
func readValue<Value: JSONConvertible>(_ json: JSON, in key: JSONText) throws -> Value {
    do {
        return try Value(jsonValue: json)
    } catch let error as LineError {
        throw error.inside(key.string)
    }
}

/// The members of an object that is read.
struct Members {
    private let object: JSONObject
    private var passed: Set<JSONText> = []

    init(_ json: JSON) throws {
        guard case .object(let object) = json else {
            throw json.unexpected("an object")
        }
        self.object = object
    }

    /// Returns the value of a key, and does not count it as extra.
    private mutating func take(_ key: JSONText) -> JSON? {
        passed.insert(key)
        return object[key]
    }

    private mutating func takeRequired(_ key: JSONText) throws -> JSON {
        guard let json = take(key) else {
            throw LineError("the key is missing").inside(key.string)
        }
        return json
    }

    mutating func tag(_ key: JSONText, _ value: JSON) throws {
        let found = try takeRequired(key)
        if found != value {
            throw LineError("not \(value)").inside(key.string)
        }
    }

    mutating func required<Value: JSONConvertible>(_ key: JSONText) throws -> Value {
        let json = try takeRequired(key)
        return try readValue(json, in: key)
    }

    mutating func nullable<Value: JSONConvertible>(_ key: JSONText) throws -> Value? {
        let json = try takeRequired(key)
        if json == JSON.null {
            return nil
        }
        let value: Value = try readValue(json, in: key)
        return value
    }

    /// Null in a field that has no null is extra.
    mutating func optional<Value: JSONConvertible>(_ key: JSONText) throws -> Value? {
        guard let json = object[key] else {
            return nil
        }
        if json == JSON.null && Value.self != JSON.self {
            return nil
        }
        passed.insert(key)
        let value: Value = try readValue(json, in: key)
        return value
    }

    mutating func presence<Value: JSONConvertible>(_ key: JSONText) throws -> Presence<Value> {
        guard let json = take(key) else {
            return Presence<Value>.absent
        }
        if json == JSON.null {
            return Presence<Value>.null
        }
        let value: Value = try readValue(json, in: key)
        return Presence<Value>.value(value)
    }

    /// The members that were not read.
    var extra: JSONObject {
        var extra = JSONObject()
        for key in object.keys where !passed.contains(key) {
            extra[key] = object[key]
        }
        return extra
    }
}

/// The members of an object that is written.
struct Fields {
    private var object = JSONObject()

    mutating func tag(_ key: JSONText, _ value: JSON) {
        object[key] = value
    }

    mutating func required<Value: JSONConvertible>(_ key: JSONText, _ value: Value) {
        object[key] = value.jsonValue
    }

    mutating func nullable<Value: JSONConvertible>(_ key: JSONText, _ value: Value?) {
        if let value = value {
            object[key] = value.jsonValue
        } else {
            object[key] = JSON.null
        }
    }

    mutating func optional<Value: JSONConvertible>(_ key: JSONText, _ value: Value?) {
        if let value = value {
            object[key] = value.jsonValue
        }
    }

    mutating func presence<Value: JSONConvertible>(_ key: JSONText, _ value: Presence<Value>) {
        switch value {
        case .absent:
            break
        case .null:
            object[key] = JSON.null
        case .value(let value):
            object[key] = value.jsonValue
        }
    }

    /// Returns the object with the extra members that it does not have.
    func json(_ extra: JSONObject) -> JSON {
        var all = object
        for key in extra.keys where all[key] == nil {
            all[key] = extra[key]
        }
        return JSON.object(all)
    }
}
