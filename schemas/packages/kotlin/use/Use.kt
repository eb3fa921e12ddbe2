// Opens a session on a server, and answers its requests. `cargo xtask packages kotlin` runs it.
import claw.server.*
import kotlin.concurrent.thread

fun main() {
    thread(isDaemon = true) {
        Thread.sleep(60_000)
        Runtime.getRuntime().halt(2)
    }
    val origin = System.getenv("CLAW_ORIGIN")
    val client = Client(origin, System.getenv("CLAW_TOKEN"))
    check(refusal { Client(origin, "wrong").listProjects() } == 401) { "a wrong token" }
    check(client.health().status == HealthStatus.OK) { "the server's health" }
    val project = client.listProjects().first().name
    val id = client.openSession(NewSession(project = project)).id
    // A text that needs to be escaped in a path.
    check(refusal { client.readSession("no/such session") } == 404) { "a session that does not exist" }
    client.sendPrompt(id, NewPrompt(text = "How many \u00e4pples?"))
    var count = 0
    var answers = 0
    var ran = false
    var first: String? = null
    fun answer(requests: List<Pending>) = requests.forEach {
        client.answerRequest(id, it.id, Answer(decision = Decision.ALLOW))
        answers++
    }
    client.watchSession(id).use { events ->
        while (true) {
            val event = events.next() ?: error("the stream has ended")
            count++
            when (event) {
                is SessionEventReset -> {
                    first = events.lastId
                    ran = ran || event.data.state.phase != Phase.IDLE
                    answer(event.data.requests)
                }
                is SessionEventRequest -> answer(listOf(event.data))
                is SessionEventState -> {
                    ran = ran || event.data.phase == Phase.RUNNING
                    if (ran && event.data.phase == Phase.IDLE) break
                }
                is Unknown -> error("an unknown event: ${event.json}")
                else -> {}
            }
        }
    }
    val said = client.readElements(id).map { it.content }.filterIsInstance<AssistantText>().joinToString("") { it.text }
    check(client.listSessions(project = project, limit = 10).sessions.isNotEmpty()) { "no sessions" }
    client.searchSessions("\u00e4pples & pears")
    client.readUsage(by = UsageBy.MODEL)
    check(client.readUsageCsv().isNotEmpty()) { "no table" }
    val messages = onSocket(client, id)
    // The events after the first one come again, and the stream ends when the session is closed.
    client.watchSession(id, lastEventId = first).use { events ->
        client.closeSession(id)
        var last: SessionEvent? = null
        var again = 0
        while (true) {
            last = events.next() ?: break
            check(last !is SessionEventReset) { "the stream was not resumed" }
            again++
        }
        check(last is SessionEventClosed && again >= count) { "$count events, then $again" }
        println("$count events, $again resumed, $messages messages, $answers request answered, \"$said\"")
    }
}

/** Sends a prompt over a WebSocket, answers its request, and returns the number of messages up to the turn's end. */
fun onSocket(client: Client, id: String): Int = client.connectSession(id, xClawViewer = "Kotlin").use { socket ->
    socket.send(SocketRequestPrompt(text = "And now?"))
    var count = 0
    while (true) {
        val message = socket.next() ?: error("the socket has ended")
        count++
        when (message) {
            is PermissionRequest -> {
                val answer = Answer(decision = Decision.ALLOW)
                socket.send(SocketRequestPermissionAnswer(requestId = message.requestId.value, answer = answer))
            }
            is TurnEnded -> break
            is Unknown -> error("an unknown message: ${message.json}")
            else -> {}
        }
    }
    count
}

/** Returns the status with which the server refuses a request. */
fun refusal(request: () -> Unit): Int? = try {
    request()
    null
} catch (refused: ResponseException) {
    refused.status.takeIf { refused.info != null }
}
