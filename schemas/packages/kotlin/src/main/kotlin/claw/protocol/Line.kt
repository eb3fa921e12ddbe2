package claw.protocol

import java.io.BufferedInputStream
import java.io.ByteArrayOutputStream
import java.io.InputStream
import java.io.OutputStream
import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException

/** The number of bytes that a line may have. */
public const val MAX_LINE: Int = 64 shl 20

/** What is wrong with a line or a value. The lines after it can be read. It has no stack trace. */
public class LineException(
    /** Describes the mistake. */
    public val reason: String,
) : Exception(null, null, false, false) {
    private val steps = ArrayList<String>()

    /** The number of the line, from 1. It is 0 if the value was not read by a [LineReader]. */
    public var line: Int = 0
        internal set

    /** Leads to the mistake, such as `message.content[2].type`. It is empty if the line as a whole is wrong. */
    public val path: String
        get() = steps.asReversed().joinToString("") { if (it.startsWith("[")) it else ".$it" }.removePrefix(".")

    override val message: String
        get() = (if (line > 0) "line $line: " else "") + (if (steps.isEmpty()) "" else "$path: ") + reason

    /** Adds the key or the index of the value that has the mistake. */
    internal fun inside(step: String): LineException {
        steps.add(step)
        return this
    }
}

/**
 * Reads lines of one direction. It is used by one thread at a time.
 *
 * A line is kept in memory until its end, up to [MAX_LINE] bytes.
 */
public class LineReader<T : Any>(from: InputStream, private val type: Type<T>) {
    private val from = BufferedInputStream(from, 1 shl 16)
    private var number = 0

    /**
     * Returns the next message, or null at the end. Blank lines are skipped.
     *
     * @throws LineException if the line has no message. The line after it can be read then.
     * @throws java.io.IOException if the stream cannot be read.
     */
    public fun next(): T? {
        while (true) {
            val bytes = nextBytes() ?: return null
            try {
                if (bytes.size() > MAX_LINE) throw LineException("the line has more than $MAX_LINE bytes")
                val line = decode(bytes.toByteArray())
                if (line.any { it != ' ' && it != '\t' && it != '\r' }) return type.read(Json.parse(line))
            } catch (wrong: LineException) {
                wrong.line = number
                throw wrong
            }
        }
    }

    /** Returns the next line without its end, or null at the end. Of a line over the limit only a part is kept. */
    private fun nextBytes(): ByteArrayOutputStream? {
        val bytes = ByteArrayOutputStream()
        var byte = from.read()
        if (byte < 0) return null
        number++
        while (byte >= 0 && byte != '\n'.code) {
            if (bytes.size() <= MAX_LINE) bytes.write(byte)
            byte = from.read()
        }
        return bytes
    }

    public companion object {
        /** Returns a reader of what claude writes. */
        public fun stdout(from: InputStream): LineReader<StdoutMessage> = LineReader(from, StdoutMessage)

        /** Returns a reader of what claude reads. */
        public fun stdin(from: InputStream): LineReader<StdinMessage> = LineReader(from, StdinMessage)

        /** Returns a reader of a session's file on disk. */
        public fun entries(from: InputStream): LineReader<Entry> = LineReader(from, Entry)
    }
}

private fun decode(line: ByteArray): String = try {
    Charsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString()
} catch (_: CharacterCodingException) {
    throw LineException("the line is not UTF-8")
}

/**
 * Reads a message from the text of a line, such as `read(StdoutMessage, line)`.
 *
 * @throws LineException if the text has none.
 */
public fun <T> read(type: Type<T>, line: String): T = type.read(Json.parse(line))

/**
 * Writes a message as a line, with one call of [OutputStream.write], and flushes the stream.
 *
 * @throws java.io.IOException if the stream cannot be written.
 */
public fun writeLine(to: OutputStream, message: Value) {
    to.write((message.toJson().toString() + "\n").toByteArray())
    to.flush()
}
