package claw.protocol

/** A value of the protocol that is written as JSON. */
public sealed interface Value {
    /** Returns the value with all of its fields, also those that its type does not know. */
    public fun toJson(): Json
}

/** How values of a type are read and written. The companion object of each type of the protocol is one. */
public interface Type<T> {
    /**
     * Reads a value.
     *
     * @throws LineException if the JSON has another form.
     */
    public fun read(json: Json): T

    /** Returns the JSON of a value. */
    public fun write(value: T): Json
}

/** A [Type] of the protocol. */
public abstract class ValueType<T : Value> internal constructor() : Type<T> {
    override fun write(value: T): Json = value.toJson()
}

/** A field that is there: [value] is null if the field is null. A field of this type that is null is absent. */
public data class Present<out T : Any>(public val value: T?)

/** Returns what an error calls the kind of a value. */
private fun Json.kind(): String = when (this) {
    is JsonObject -> "an object"
    is JsonArray -> "an array"
    is JsonString -> "a string"
    is JsonNumber -> "a number"
    is JsonBoolean -> "a boolean"
    JsonNull -> "null"
}

/** Returns the error for a value of another kind than the expected one. */
internal fun Json.unexpected(expected: String): LineException = LineException("${kind()} in place of $expected")

internal object TextType : Type<String> {
    override fun read(json: Json): String = (json as? JsonString ?: throw json.unexpected("a string")).value

    override fun write(value: String): Json = JsonString(value)
}

internal object FlagType : Type<Boolean> {
    override fun read(json: Json): Boolean = (json as? JsonBoolean ?: throw json.unexpected("a boolean")).value

    override fun write(value: Boolean): Json = JsonBoolean(value)
}

internal object IntegerType : Type<Long> {
    override fun read(json: Json): Long {
        val text = (json as? JsonNumber ?: throw json.unexpected("an integer")).text
        // `-0` is a float, because an integer would lose its sign.
        val value = if (text == "-0") null else text.toLongOrNull()
        return value ?: throw LineException("$text is no integer of 64 bits")
    }

    override fun write(value: Long): Json = JsonNumber(value)
}

internal object NumberType : Type<JsonNumber> {
    override fun read(json: Json): JsonNumber = json as? JsonNumber ?: throw json.unexpected("a number")

    override fun write(value: JsonNumber): Json = value
}

internal class ListType<T>(private val item: Type<T>) : Type<List<T>> {
    override fun read(json: Json): List<T> {
        val items = (json as? JsonArray ?: throw json.unexpected("an array")).items
        return items.mapIndexed { at, value ->
            try {
                item.read(value)
            } catch (wrong: LineException) {
                throw wrong.inside("[$at]")
            }
        }
    }

    override fun write(value: List<T>): Json = JsonArray(value.map(item::write))
}

internal class DictionaryType<T>(private val item: Type<T>) : Type<Map<String, T>> {
    override fun read(json: Json): Map<String, T> {
        val members = (json as? JsonObject ?: throw json.unexpected("an object")).members
        return members.mapValues { (key, value) -> item.readIn(key, value) }
    }

    override fun write(value: Map<String, T>): Json = JsonObject(value.mapValues { item.write(it.value) })
}

internal class NullableType<T : Any>(private val type: Type<T>) : Type<T?> {
    override fun read(json: Json): T? = if (json == JsonNull) null else type.read(json)

    override fun write(value: T?): Json = value?.let(type::write) ?: JsonNull
}

private fun <T> Type<T>.readIn(key: String, json: Json): T = try {
    read(json)
} catch (wrong: LineException) {
    throw wrong.inside(key)
}

/** Whether this is an object with a key that has one of the values, or any if none is named. */
internal fun Json.has(key: String, vararg values: Any): Boolean =
    this is JsonObject && members[key]?.isOneOf(values) ?: false

/** Whether this is an object without the key, or with one of the values. */
internal fun Json.mayHave(key: String, vararg values: Any): Boolean =
    this is JsonObject && members[key]?.isOneOf(values) ?: true

private fun Json.isOneOf(values: Array<out Any>): Boolean = values.isEmpty() || when (this) {
    is JsonString -> value in values
    is JsonBoolean -> value in values
    else -> false
}

/** Reads a value of an internal kind, which is unknown if it has another form. */
internal inline fun <T> ifRead(json: Json, unknown: (Unknown) -> T, read: () -> T): T = try {
    read()
} catch (wrong: LineException) {
    unknown(Unknown(json).apply { reason = wrong })
}

/** The members of an object that is read. */
internal class Members(json: Json) {
    /** The members that are not read yet. */
    private val rest = LinkedHashMap((json as? JsonObject ?: throw json.unexpected("an object")).members)

    fun tag(key: String, value: Json): Members {
        val found = rest.remove(key) ?: throw missing(key)
        if (found != value) throw LineException("not $value").inside(key)
        return this
    }

    private fun missing(key: String) = LineException("the key is missing").inside(key)

    fun <T> required(key: String, type: Type<T>): T = type.readIn(key, rest.remove(key) ?: throw missing(key))

    fun <T : Any> nullable(key: String, type: Type<T>): T? = when (val json = rest.remove(key) ?: throw missing(key)) {
        JsonNull -> null
        else -> type.readIn(key, json)
    }

    /** Null in a field that has no null stays in [extra]. */
    fun <T : Any> optional(key: String, type: Type<T>): T? {
        val json = rest[key] ?: return null
        if (json == JsonNull && type !== Json) return null
        rest.remove(key)
        return type.readIn(key, json)
    }

    fun <T : Any> present(key: String, type: Type<T>): Present<T>? {
        val json = rest.remove(key) ?: return null
        return Present(if (json == JsonNull) null else type.readIn(key, json))
    }

    fun extra(): Map<String, Json> = rest.ifEmpty { emptyMap() }
}

/** The members of an object that is written. */
internal class Fields(private val extra: Map<String, Json>) {
    private val members = LinkedHashMap<String, Json>()

    fun tag(key: String, value: Json): Fields {
        members[key] = value
        return this
    }

    fun <T> required(key: String, value: T, type: Type<T>): Fields = tag(key, type.write(value))

    fun <T : Any> nullable(key: String, value: T?, type: Type<T>): Fields = tag(key, value?.let(type::write) ?: JsonNull)

    fun <T : Any> optional(key: String, value: T?, type: Type<T>): Fields =
        if (value == null) this else tag(key, type.write(value))

    fun <T : Any> present(key: String, value: Present<T>?, type: Type<T>): Fields =
        if (value == null) this else nullable(key, value.value, type)

    fun toJson(): JsonObject {
        extra.forEach(members::putIfAbsent)
        return JsonObject(members)
    }
}
