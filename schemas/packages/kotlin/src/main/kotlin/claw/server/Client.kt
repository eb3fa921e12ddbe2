package claw.server

import claw.protocol.*
import java.io.BufferedInputStream
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.InputStream
import java.net.URI
import java.net.URLEncoder
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.net.http.WebSocket
import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException
import java.util.concurrent.ArrayBlockingQueue
import java.util.concurrent.CompletionStage
import java.util.concurrent.ExecutionException

/** The number of bytes that a response, an event or a message may have. */
public const val MAX_BODY: Int = 64 shl 20

/**
 * A client of `claw serve`: a function for each request that the server takes. Several threads may use it. A function waits
 * for the response; an interruption of its thread ends the wait.
 */
public class Client(
    /** The origin of the server, such as `http://127.0.0.1:8787`. */
    origin: String,
    private val token: String,
    /** Makes the requests. */
    private val http: HttpClient = HttpClient.newHttpClient(),
) {
    private val origin = origin.removeSuffix("/")

    internal fun nothing(call: Call) {
        send(call).use { it.readAll() }
    }

    internal fun text(call: Call): String = decode(send(call).use { it.readAll() })

    internal fun <T> result(call: Call, type: Type<T>): T = read(type, text(call))

    internal fun <T : Any> resultOrNull(call: Call, type: Type<T>): T? =
        text(call).takeIf { it.isNotEmpty() }?.let { read(type, it) }

    internal fun <T : Any> events(call: Call, type: Type<T>): EventStream<T> {
        call.header("Accept", "text/event-stream")
        return EventStream(send(call), type)
    }

    internal fun <S : Value, T : Any> socket(call: Call, type: Type<T>): Socket<S, T> {
        val builder = http.newWebSocketBuilder().header("Authorization", "Bearer $token")
        call.headers.forEach { (key, value) -> builder.header(key, value) }
        val socket = Socket<S, T>(type)
        val uri = URI("ws" + (origin + call.target()).removePrefix("http"))
        try {
            socket.socket = builder.buildAsync(uri, socket.listener).get()
        } catch (wrong: ExecutionException) {
            throw IOException("the WebSocket was not opened", wrong.cause)
        }
        return socket
    }

    /** Returns the body of a response that is no error. */
    private fun send(call: Call): InputStream {
        val builder = HttpRequest.newBuilder(URI(origin + call.target()))
        call.headers.forEach { (key, value) -> builder.setHeader(key, value) }
        if ("Accept" !in call.headers) builder.setHeader("Accept", "application/json")
        if (!call.isOpen) builder.setHeader("Authorization", "Bearer $token")
        val body = call.body?.let {
            builder.setHeader("Content-Type", "application/json")
            HttpRequest.BodyPublishers.ofString(it.toString())
        }
        builder.method(call.method, body ?: HttpRequest.BodyPublishers.noBody())
        val response = http.send(builder.build(), HttpResponse.BodyHandlers.ofInputStream())
        if (response.statusCode() < 300) return response.body()
        throw ResponseException(response.statusCode(), response.body().use(::errorInfo))
    }
}

private fun errorInfo(body: InputStream): ErrorInfo? = try {
    read(ErrorBody, decode(body.readAll())).error
} catch (_: LineException) {
    null
} catch (_: IOException) {
    null
}

private fun InputStream.readAll(): ByteArray {
    val bytes = readNBytes(MAX_BODY + 1)
    if (bytes.size > MAX_BODY) throw IOException("a response of more than $MAX_BODY bytes")
    return bytes
}

private fun decode(text: ByteArray): String = try {
    Charsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text)).toString()
} catch (_: CharacterCodingException) {
    throw LineException("the text is not UTF-8")
}

/** A response that is an error. */
public class ResponseException(
    /** The status of HTTP. */
    public val status: Int,
    /** What is wrong. It is null if the response is not from the server, but from a proxy before it. */
    public val info: ErrorInfo?,
) : IOException("status $status" + (info?.let { ": ${it.message}" } ?: ""))

/** A request, while its parameters are added. */
internal class Call(val method: String, private val path: String, val isOpen: Boolean = false) {
    private val query = ArrayList<String>()
    val headers = LinkedHashMap<String, String>()
    var body: Json? = null

    fun query(key: String, value: Any?): Call {
        if (value != null) query.add("$key=${escaped(value.toString())}")
        return this
    }

    fun header(key: String, value: Any?): Call {
        if (value != null) headers[key] = value.toString()
        return this
    }

    fun body(json: Json): Call {
        body = json
        return this
    }

    fun target(): String = if (query.isEmpty()) path else "$path?${query.joinToString("&")}"
}

/** Returns a text as a part of a path or of a query. */
internal fun escaped(text: String): String = URLEncoder.encode(text, Charsets.UTF_8).replace("+", "%20")

/** Reads events while the server sends them. It is used by one thread at a time. */
public class EventStream<T : Any> internal constructor(from: InputStream, private val type: Type<T>) : AutoCloseable {
    private val from = BufferedInputStream(from, 1 shl 16)

    /** The ID of the last event. A later request that has it resumes after this event. */
    public var lastId: String? = null
        private set

    /**
     * Waits for the next event. Null is the end of the stream.
     *
     * @throws LineException if the event cannot be read. The event after it can be read then.
     * @throws IOException if the stream cannot be read.
     */
    public fun next(): T? {
        var name = ""
        var id = lastId
        var data: StringBuilder? = null
        var size = 0
        while (true) {
            val line = line(MAX_BODY - size) ?: return null
            size += line.size
            val text = decode(line)
            val key = text.substringBefore(':')
            val value = text.substringAfter(':', "").removePrefix(" ")
            when {
                text.isEmpty() && data == null -> {
                    name = ""
                    size = 0
                }
                text.isEmpty() -> {
                    lastId = id
                    val members = linkedMapOf("event" to JsonString(name), "data" to Json.parse(data.toString()))
                    id?.let { members["id"] = JsonString(it) }
                    return type.read(JsonObject(members))
                }
                key == "id" -> id = value
                key == "event" -> name = value
                key == "data" -> data = data?.append('\n')?.append(value) ?: StringBuilder(value)
            }
        }
    }

    /** Returns the next line without its end, or null at the end. What has no end is no line. */
    private fun line(most: Int): ByteArray? {
        val bytes = ByteArrayOutputStream()
        while (true) {
            when (val byte = from.read()) {
                -1 -> return null
                '\n'.code -> return bytes.toByteArray()
                '\r'.code -> {}
                else -> bytes.write(byte)
            }
            if (bytes.size() > most) throw IOException("an event of more than $MAX_BODY bytes")
        }
    }

    /** Ends the stream. */
    override fun close(): Unit = from.close()
}

/** A WebSocket. One thread at a time may send, and one may receive. */
public class Socket<S : Value, T : Any> internal constructor(private val type: Type<T>) : AutoCloseable {
    internal lateinit var socket: WebSocket

    /** The next message, or the end. The listener asks for more when a message is taken, so one place is enough. */
    private val received = ArrayBlockingQueue<Result<String?>>(1)
    private var isAtEnd = false

    internal val listener = object : WebSocket.Listener {
        private val text = StringBuilder()

        override fun onText(socket: WebSocket, data: CharSequence, last: Boolean): CompletionStage<*>? {
            text.append(data)
            if (text.length > MAX_BODY) {
                socket.abort()
                received.put(Result.failure(IOException("a message of more than $MAX_BODY characters")))
            } else if (last) {
                received.put(Result.success(text.toString()))
                text.clear()
            } else {
                socket.request(1)
            }
            return null
        }

        override fun onClose(socket: WebSocket, code: Int, reason: String): CompletionStage<*>? {
            received.put(Result.success(null))
            return null
        }

        override fun onError(socket: WebSocket, wrong: Throwable) {
            received.put(Result.failure(wrong))
        }
    }

    /**
     * Sends a message.
     *
     * @throws IOException if the connection has ended.
     */
    public fun send(message: S) {
        try {
            socket.sendText(message.toJson().toString(), true).get()
        } catch (wrong: ExecutionException) {
            throw IOException("the message was not sent", wrong.cause)
        }
    }

    /**
     * Waits for the next message. Null is the end.
     *
     * @throws LineException if the message cannot be read. The message after it can be read then.
     * @throws IOException if the connection has failed.
     */
    public fun next(): T? {
        if (isAtEnd) return null
        val result = received.take()
        isAtEnd = result.getOrNull() == null
        val text = result.getOrElse { throw IOException("the connection has failed", it) } ?: return null
        socket.request(1)
        return read(type, text)
    }

    /** Ends the connection. */
    override fun close() {
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "")
    }
}
