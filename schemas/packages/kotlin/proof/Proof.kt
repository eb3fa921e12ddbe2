package claw.protocol.proof

import claw.protocol.ControlRequest
import claw.protocol.Json
import claw.protocol.LineException
import claw.protocol.LineReader
import claw.protocol.Present
import claw.protocol.Unknown
import claw.protocol.Value
import claw.protocol.writeLine
import java.io.BufferedOutputStream
import java.io.OutputStream
import java.lang.reflect.Field
import java.lang.reflect.Modifier

/** Reads the lines of a direction, and writes what the package made of each. `cargo xtask packages kotlin` runs it. */
fun main(arguments: Array<String>) {
    val lines = when (arguments.single()) {
        "stdout" -> LineReader.stdout(System.`in`)
        "stdin" -> LineReader.stdin(System.`in`)
        else -> LineReader.entries(System.`in`)
    }
    // A line is flushed when it is written, which this stream does once at the end.
    val all = BufferedOutputStream(System.out, 1 shl 20)
    val out = object : OutputStream() {
        override fun write(byte: Int) = all.write(byte)

        override fun write(bytes: ByteArray, from: Int, length: Int) = all.write(bytes, from, length)
    }
    while (true) {
        try {
            val message = lines.next() ?: break
            out.write(start(message).toByteArray())
            writeLine(out, message)
        } catch (wrong: LineException) {
            out.write("error\t${wrong.path}\t${wrong.reason.replace('\t', ' ')}\n".toByteArray())
        }
    }
    all.flush()
}

/** Returns the start of an output, up to the line. */
private fun start(message: Value): String {
    if (message is Unknown) return "unknown\t"
    var kind = message.javaClass.simpleName
    val body = (message as? ControlRequest)?.request
    if (body != null && body !is Unknown) kind += "/" + body.javaClass.simpleName
    return "read\t$kind\t${unknown(message)}\t"
}

private val fields = HashMap<Class<*>, List<Field>>()

/** Returns the number of unknown values in a value. */
private fun unknown(value: Any?): Int = when (value) {
    null, is Json, is String, is Boolean, is Long -> 0
    is Unknown -> 1
    is Present<*> -> unknown(value.value)
    is List<*> -> value.sumOf(::unknown)
    is Map<*, *> -> value.values.sumOf(::unknown)
    else -> fields.getOrPut(value.javaClass) {
        val own = value.javaClass.declaredFields.filterNot { Modifier.isStatic(it.modifiers) }
        own.onEach { it.isAccessible = true }
    }.sumOf { unknown(it.get(value)) }
}
