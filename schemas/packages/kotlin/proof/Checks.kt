package claw.protocol.proof

import claw.protocol.AssistantMessage
import claw.protocol.CanUseTool
import claw.protocol.ContentList
import claw.protocol.ControlRequest
import claw.protocol.Initialize
import claw.protocol.Interrupt
import claw.protocol.Json
import claw.protocol.JsonArray
import claw.protocol.JsonNull
import claw.protocol.JsonNumber
import claw.protocol.JsonObject
import claw.protocol.JsonString
import claw.protocol.KeepAlive
import claw.protocol.LineException
import claw.protocol.LineReader
import claw.protocol.MAX_LINE
import claw.protocol.PermissionDeny
import claw.protocol.PermissionMode
import claw.protocol.Present
import claw.protocol.RequestId
import claw.protocol.SetMaxThinkingTokens
import claw.protocol.SetPermissionMode
import claw.protocol.StdoutMessage
import claw.protocol.TextBlock
import claw.protocol.ToolUseId
import claw.protocol.Unknown
import claw.protocol.UserPrompt
import claw.protocol.Value
import claw.protocol.allow
import claw.protocol.answer
import claw.protocol.cancel
import claw.protocol.deny
import claw.protocol.prompt
import claw.protocol.read
import claw.protocol.refuse
import claw.protocol.request
import claw.protocol.writeLine
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.InputStream

/** Checks what the lines of the fixtures do not show. */
fun main() {
    whatAHostWrites()
    aResponseHasTheTypeOfItsRequest()
    aReaderContinuesAfterABadLine()
    aLongLineIsPassed()
    numbersAndTextsStay()
    absentAndNullAreKeptApart()
    whatATypeDoesNotKnowIsKept()
    println("the checks passed")
}

private fun <T> expect(found: T, expected: T) = check(found == expected) { "found    $found\nexpected $expected" }

private fun line(message: Value): String {
    val out = ByteArrayOutputStream()
    writeLine(out, message)
    return out.toString(Charsets.UTF_8)
}

private fun refused(action: () -> Unit): LineException = try {
    action()
    error("it was not refused")
} catch (wrong: LineException) {
    wrong
}

private fun whatAHostWrites() {
    val id = RequestId("1")
    expect(line(prompt("hi")), """{"type":"user","message":{"content":"hi","role":"user"}}""" + "\n")
    expect(
        line(prompt(ContentList(listOf(TextBlock("hi"))))),
        """{"type":"user","message":{"content":[{"type":"text","text":"hi"}],"role":"user"}}""" + "\n",
    )
    expect(
        line(request(id, Initialize(sdkMcpServers = listOf("a")))),
        """{"type":"control_request","request":{"subtype":"initialize","sdkMcpServers":["a"]},"request_id":"1"}""" + "\n",
    )
    val allow = allow(CanUseTool(input = Json.parse("""{"a":1.0}"""), toolName = "a", toolUseId = ToolUseId("t")))
    val allowed = """{"behavior":"allow","updatedInput":{"a":1.0}}"""
    val success = """{"subtype":"success","request_id":"1","response":$allowed}"""
    expect(line(answer(id, allow)), """{"type":"control_response","response":$success}""" + "\n")
    val error = """{"subtype":"error","error":"no","request_id":"1"}"""
    expect(line(refuse(id, "no")), """{"type":"control_response","response":$error}""" + "\n")
    expect(line(cancel(id)), """{"type":"control_cancel_request","request_id":"1"}""" + "\n")
}

private fun aResponseHasTheTypeOfItsRequest() {
    val mode = SetPermissionMode(PermissionMode.PLAN)
    val response = mode.readResponse(Json.parse("""{"mode":"plan","a":[]}"""))
    expect(response?.toJson().toString(), """{"mode":"plan","a":[]}""")
    expect(response?.extra, mapOf("a" to JsonArray(emptyList())))
    expect(Interrupt().readResponse(null), null)
    val text = """{"type":"control_request","request_id":"1","request":
        {"subtype":"can_use_tool","tool_name":"a","tool_use_id":"t","input":{}}}"""
    val message = read(StdoutMessage, text) as ControlRequest
    val denied = (message.request as CanUseTool).readResponse(Json.parse("""{"behavior":"deny","message":"no"}"""))
    expect(denied, deny("no"))
    expect((denied as PermissionDeny).message, "no")
}

private fun aReaderContinuesAfterABadLine() {
    val lines = "\nno\r\n{\"type\":\"keep_alive\"}\r\n\n{\"type\":\"a\"}\n\u00ff"
    val reader = LineReader.stdout(ByteArrayInputStream(lines.toByteArray(Charsets.ISO_8859_1)))
    expect(refused { reader.next() }.line, 2)
    check(reader.next() is KeepAlive)
    expect(reader.next(), Unknown(Json.parse("""{"type":"a"}""")))
    expect(refused { reader.next() }.message, "line 6: the line is not UTF-8")
    expect(reader.next(), null)
}

/** A line that is longer than a line may be, and one after it. */
private class Long : InputStream() {
    private var rest = MAX_LINE + 1
    private val after = ByteArrayInputStream("\n{\"type\":\"keep_alive\"}".toByteArray())

    override fun read(): Int = if (rest-- > 0) 'x'.code else after.read()
}

private fun aLongLineIsPassed() {
    val reader = LineReader.stdout(Long())
    expect(refused { reader.next() }.reason, "the line has more than $MAX_LINE bytes")
    check(reader.next() is KeepAlive)
}

private fun numbersAndTextsStay() {
    for (text in listOf("1", "1.0", "-0", "1e400", "12345678901234567890", """"\ud83d"""", """["😀","\ude00\ud83d"]""")) {
        expect(Json.parse(text).toString(), text)
    }
    expect(Json.parse(""""\ud83d\ude00\/\u0041"""").toString(), "\"😀/A\"")
    expect(JsonString("\u0000\n\"\\").toString(), """"\u0000\n\"\\"""")
    for (text in listOf("", "01", "1.", "-", "+1", "nul", "[1,]", "{\"a\"}", "\"\\u12g4\"", "\"\u0001\"", "1 2", "\u0660")) {
        refused { Json.parse(text) }
    }
    expect(refused { Json.parse("""{"a":[1,{"b":1,"b":2}]}""") }.path, "a[1].b")
    check(runCatching { JsonNumber("NaN") }.isFailure)
    check(runCatching { JsonNumber(Double.NaN) }.isFailure)
    refused { Json.parse("[".repeat(100_000)) }
    Json.parse("[".repeat(Json.MAX_DEPTH) + "]".repeat(Json.MAX_DEPTH))
}

private fun absentAndNullAreKeptApart() {
    val fields = mapOf("" to null, ""","max_thinking_tokens":null""" to Present<Nothing>(null), ""","max_thinking_tokens":7""" to Present(7L))
    for ((field, expected) in fields) {
        val text = """{"subtype":"set_max_thinking_tokens"$field}"""
        val request = SetMaxThinkingTokens.read(Json.parse(text))
        expect(request.maxThinkingTokens, expected)
        expect(request.toJson().toString(), text)
    }
    // Null in a field that has no null.
    val text = """{"subtype":"initialize","sdkMcpServers":null}"""
    val request = Initialize.read(Json.parse(text))
    expect(request.sdkMcpServers, null)
    expect(request.toJson().toString(), text)
}

private fun whatATypeDoesNotKnowIsKept() {
    val text = """{"type":"assistant","message":{"id":"m","type":"message","role":"assistant","model":"m","content":
        [{"type":"text","text":"\ud83d","new":1.0},{"type":"new","a":[null]}],"stop_reason":null,"stop_sequence":null,
        "usage":{"input_tokens":1,"output_tokens":1}},"parent_tool_use_id":null,"session_id":"s","uuid":"u"}"""
    val message = read(StdoutMessage, text) as AssistantMessage
    val (known, unknown) = message.message.content
    expect(known, TextBlock("\ud83d", extra = mapOf("new" to JsonNumber("1.0"))))
    expect(unknown.toJson(), JsonObject("type" to JsonString("new"), "a" to JsonArray(listOf(JsonNull))))
    expect(read(StdoutMessage, line(message)), message)
    val wrong = refused { UserPrompt.read(message.toJson()) }
    expect(wrong.message, "type: not \"user\"")
    val path = refused { read(StdoutMessage, text.replace("\"new\":1.0", "\"citations\":7")) }
    expect(path.path, "message.content[0].citations")
}
