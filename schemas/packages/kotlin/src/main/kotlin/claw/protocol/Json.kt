package claw.protocol

import java.math.BigDecimal

/** A JSON value as it was read: an object keeps the order of its keys, and a number keeps its text. */
public sealed interface Json {
    public companion object : Type<Json> {
        /** The number of levels that a text may have. Deeper texts are refused, so that none exhausts the stack. */
        public const val MAX_DEPTH: Int = 512

        /**
         * Reads a text that has one JSON value and nothing else. Half of a surrogate pair stays in a [JsonString].
         *
         * @throws LineException if the text has none, or an object in which a key occurs twice.
         */
        public fun parse(text: String): Json = Parser(text).parse()

        override fun read(json: Json): Json = json

        override fun write(value: Json): Json = value
    }
}

/** The value null. */
public data object JsonNull : Json {
    override fun toString(): String = "null"
}

/** A boolean. */
public data class JsonBoolean(public val value: Boolean) : Json {
    override fun toString(): String = value.toString()
}

/** A number. It is kept as [text], so that `1`, `1.0` and numbers of any size are written as they came. */
public data class JsonNumber(public val text: String) : Json {
    init {
        require(Parser(text).isNumber()) { "not a JSON number: $text" }
    }

    public constructor(value: Long) : this(value.toString())

    /** [value] must be finite. */
    public constructor(value: Double) : this(value.toString())

    /** Returns the nearest number of 64 bits with a floating point. */
    public fun toDouble(): Double = text.toDouble()

    /** Returns the number, or null if it is written with a fraction or an exponent, or has more than 64 bits. */
    public fun toLongOrNull(): Long? = text.toLongOrNull()

    /** Returns exactly this number. */
    public fun toBigDecimal(): BigDecimal = text.toBigDecimal()

    override fun toString(): String = text
}

/** A text. */
public data class JsonString(public val value: String) : Json {
    override fun toString(): String = buildString { appendJson(this@JsonString) }
}

/** An array. */
public data class JsonArray(public val items: List<Json>) : Json {
    override fun toString(): String = buildString { appendJson(this@JsonArray) }
}

/** An object. */
public data class JsonObject(public val members: Map<String, Json>) : Json {
    public constructor(vararg members: Pair<String, Json>) : this(mapOf(*members))

    override fun toString(): String = buildString { appendJson(this@JsonObject) }
}

/** Appends the text of a value. It has no line feed. */
private fun StringBuilder.appendJson(json: Json) {
    when (json) {
        is JsonString -> appendText(json.value)
        is JsonArray -> {
            append('[')
            json.items.forEachIndexed { at, item ->
                if (at > 0) append(',')
                appendJson(item)
            }
            append(']')
        }
        is JsonObject -> {
            append('{')
            var separator = ""
            for ((key, value) in json.members) {
                append(separator)
                separator = ","
                appendText(key)
                append(':')
                appendJson(value)
            }
            append('}')
        }
        is JsonNumber, is JsonBoolean, JsonNull -> append(json.toString())
    }
}

private const val HEX = "0123456789abcdef"

/** Appends a JSON string. Half of a surrogate pair, which UTF-8 cannot have, is written as an escape. */
private fun StringBuilder.appendText(text: String) {
    append('"')
    var start = 0
    for (at in text.indices) {
        val unit = text[at]
        val isHalf = when {
            unit.isHighSurrogate() -> at + 1 == text.length || !text[at + 1].isLowSurrogate()
            unit.isLowSurrogate() -> at == 0 || !text[at - 1].isHighSurrogate()
            else -> false
        }
        if (unit >= ' ' && unit != '"' && unit != '\\' && !isHalf) continue
        append(text, start, at)
        start = at + 1
        append('\\')
        when (unit) {
            '"', '\\' -> append(unit)
            '\n' -> append('n')
            '\r' -> append('r')
            '\t' -> append('t')
            else -> {
                append('u')
                for (shift in 12 downTo 0 step 4) append(HEX[unit.code shr shift and 15])
            }
        }
    }
    append(text, start, text.length)
    append('"')
}

private class Parser(private val text: String) {
    private var at = 0

    /** The keys and indices of the values that are being read. */
    private val path = ArrayList<String>()

    fun parse(): Json {
        val value = value()
        space()
        if (at < text.length) fail()
        return value
    }

    fun isNumber(): Boolean = passNumber() && at == text.length

    private fun fail(): Nothing = throw LineException("no JSON at character $at")

    private fun peek(): Char = if (at < text.length) text[at] else '\u0000'

    private fun pass(letter: Char): Boolean {
        val isNext = peek() == letter && at < text.length
        if (isNext) at++
        return isNext
    }

    private fun space() {
        while (at < text.length && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n')) at++
    }

    private fun value(): Json {
        if (path.size > Json.MAX_DEPTH) fail()
        space()
        return when (peek()) {
            '{' -> members()
            '[' -> items()
            '"' -> JsonString(string())
            't' -> word("true", JsonBoolean(true))
            'f' -> word("false", JsonBoolean(false))
            'n' -> word("null", JsonNull)
            else -> {
                val start = at
                if (!passNumber()) fail()
                JsonNumber(text.substring(start, at))
            }
        }
    }

    private fun word(word: String, value: Json): Json {
        if (!text.startsWith(word, at)) fail()
        at += word.length
        return value
    }

    private fun members(): Json {
        val members = LinkedHashMap<String, Json>()
        at++
        space()
        if (pass('}')) return JsonObject(members)
        do {
            space()
            if (peek() != '"') fail()
            val key = string()
            path.add(key)
            if (key in members) {
                val twice = LineException("the key occurs twice")
                path.asReversed().forEach(twice::inside)
                throw twice
            }
            space()
            if (!pass(':')) fail()
            members[key] = value()
            path.removeAt(path.lastIndex)
            space()
        } while (pass(','))
        if (!pass('}')) fail()
        return JsonObject(members)
    }

    private fun items(): Json {
        val items = ArrayList<Json>()
        at++
        space()
        if (pass(']')) return JsonArray(items)
        do {
            path.add("[${items.size}]")
            items.add(value())
            path.removeAt(path.lastIndex)
            space()
        } while (pass(','))
        if (!pass(']')) fail()
        return JsonArray(items)
    }

    private fun string(): String {
        at++
        var start = at
        var built: StringBuilder? = null
        while (true) {
            if (at == text.length || text[at] < ' ') fail()
            when (text[at++]) {
                '"' -> {
                    if (built == null) return text.substring(start, at - 1)
                    return built.append(text, start, at - 1).toString()
                }
                '\\' -> {
                    val before = built ?: StringBuilder()
                    built = before.append(text, start, at - 1).append(escape())
                    start = at
                }
            }
        }
    }

    /** Reads an escape after its backslash. */
    private fun escape(): Char {
        val letter = peek()
        at++
        return when (letter) {
            '"', '\\', '/' -> letter
            'b' -> '\b'
            'f' -> '\u000c'
            'n' -> '\n'
            'r' -> '\r'
            't' -> '\t'
            'u' -> {
                var unit = 0
                repeat(4) {
                    val digit = Character.digit(peek(), 16).takeIf { peek() < '\u0080' } ?: -1
                    if (digit < 0) fail()
                    unit = unit * 16 + digit
                    at++
                }
                unit.toChar()
            }
            else -> {
                at--
                fail()
            }
        }
    }

    private fun passDigits(): Boolean {
        val start = at
        while (peek() in '0'..'9') at++
        return at > start
    }

    private fun passNumber(): Boolean {
        pass('-')
        if (!pass('0') && !passDigits()) return false
        if (pass('.') && !passDigits()) return false
        if (pass('e') || pass('E')) {
            if (!pass('+')) pass('-')
            return passDigits()
        }
        return true
    }
}
