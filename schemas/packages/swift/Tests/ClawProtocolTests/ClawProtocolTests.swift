import Foundation
import XCTest

import ClawProtocol

/// Checks what the lines of the fixtures do not show.
final class ClawProtocolTests: XCTestCase {
    private func line<Message: JSONConvertible>(_ message: Message) -> String {
        return String(decoding: lineBytes(message), as: UTF8.self)
    }

    private func read<Message: JSONConvertible>(_ type: Message.Type, _ text: String) throws -> Message {
        return try Message(jsonValue: try JSON(parsing: text))
    }

    private func refused(_ action: () throws -> Void) -> LineError? {
        do {
            try action()
        } catch {
            return error as? LineError
        }
        return nil
    }

    /// Returns a reader of these bytes, which come one by one.
    private func reader(_ bytes: [UInt8]) -> LineReader<StdoutMessage> {
        var at = 0
        return LineReader<StdoutMessage>(source: {
            if at == bytes.count {
                return []
            }
            at += 1
            return [bytes[at - 1]]
        })
    }

    func testWhatAHostWrites() throws {
        let id = RequestId(rawValue: "1")
        XCTAssertEqual(
            line(StdinMessage.prompt("hi")),
            "{\"type\":\"user\",\"message\":{\"content\":\"hi\",\"role\":\"user\"}}\n"
        )
        let block = ContentBlock.textBlock(TextBlock(text: "hi"))
        XCTAssertEqual(
            line(StdinMessage.prompt(content: Content.list([block]))),
            "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}],\"role\":\"user\"}}\n"
        )
        let initialize = Initialize(sdkMcpServers: ["a"])
        let body = "{\"subtype\":\"initialize\",\"sdkMcpServers\":[\"a\"]}"
        XCTAssertEqual(
            line(StdinMessage.request(id, ControlRequestBody.initialize(initialize))),
            "{\"type\":\"control_request\",\"request\":\(body),\"request_id\":\"1\"}\n"
        )
        let input = try JSON(parsing: "{\"a\":1.0}")
        let tool = CanUseTool(input: input, toolName: "a", toolUseId: ToolUseId(rawValue: "t"))
        let allowed = "{\"behavior\":\"allow\",\"updatedInput\":{\"a\":1.0}}"
        let success = "{\"subtype\":\"success\",\"request_id\":\"1\",\"response\":\(allowed)}"
        XCTAssertEqual(
            line(StdinMessage.answer(id, tool.allow())),
            "{\"type\":\"control_response\",\"response\":\(success)}\n"
        )
        let error = "{\"subtype\":\"error\",\"error\":\"no\",\"request_id\":\"1\"}"
        XCTAssertEqual(
            line(StdinMessage.refuse(id, "no")),
            "{\"type\":\"control_response\",\"response\":\(error)}\n"
        )
        XCTAssertEqual(
            line(StdinMessage.cancel(id)),
            "{\"type\":\"control_cancel_request\",\"request_id\":\"1\"}\n"
        )
    }

    func testAResponseHasTheTypeOfItsRequest() throws {
        let mode = SetPermissionMode(mode: PermissionMode.plan)
        let response = try mode.readResponse(try JSON(parsing: "{\"mode\":\"plan\",\"a\":[]}"))
        XCTAssertEqual(response?.jsonValue.text, "{\"mode\":\"plan\",\"a\":[]}")
        XCTAssertEqual(response?.extra, ["a": JSON.array([])])
        XCTAssertNil(try mode.readResponse(nil))
    }

    func testAReaderContinuesAfterABadLine() throws {
        let text = "\nno\r\n{\"type\":\"keep_alive\"}\r\n\n{\"type\":\"a\"}\n"
        let lines = reader(Array(text.utf8) + [0xFF])
        XCTAssertEqual(refused { _ = try lines.next() }?.line, 2)
        XCTAssertEqual(try lines.next(), StdoutMessage.keepAlive(KeepAlive()))
        XCTAssertEqual(try lines.next(), StdoutMessage.unknown(try JSON(parsing: "{\"type\":\"a\"}")))
        XCTAssertEqual(refused { _ = try lines.next() }?.description, "line 6: the line is not UTF-8")
        XCTAssertNil(try lines.next())
    }

    func testALongLineIsPassed() throws {
        let part = [UInt8](repeating: 0x78, count: 1 << 20)
        var parts = 66
        let lines = LineReader<StdoutMessage>(source: {
            parts -= 1
            if parts > 0 {
                return part
            }
            return parts == 0 ? Array("\n{\"type\":\"keep_alive\"}".utf8) : []
        })
        XCTAssertEqual(refused { _ = try lines.next() }?.reason, "the line has more than \(maxLine) bytes")
        XCTAssertEqual(try lines.next(), StdoutMessage.keepAlive(KeepAlive()))
        XCTAssertNil(try lines.next())
    }

    func testNumbersAndTextsStay() throws {
        let same = [
            "1", "1.0", "-0", "1e400", "12345678901234567890", "\"\\ud83d\"", "[\"😀\",\"\\ude00\\ud83d\"]", "{\"b\":1,\"a\":2}",
        ]
        for text in same {
            XCTAssertEqual(try JSON(parsing: text).text, text)
        }
        XCTAssertEqual(try JSON(parsing: "\"\\ud83d\\ude00\\/\\u0041\"").text, "\"😀/A\"")
        XCTAssertEqual(JSON.string("\u{0}\n\"\\").text, "\"\\u0000\\n\\\"\\\\\"")
        let half = JSONText(utf16: [0x61, 0xD83D])
        XCTAssertTrue(half.hasHalfPair)
        XCTAssertEqual(half.string, "a\u{FFFD}")
        XCTAssertNotEqual(half, "a\u{FFFD}")
        // The same letter, written as one character and as two.
        XCTAssertNotEqual(JSONText("\u{E9}"), JSONText("e\u{301}"))
        let letters = try JSON(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        XCTAssertEqual(Array(letters.text.utf8), Array("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8))
        let bad = ["", "01", "1.", "-", "+1", "nul", "[1,]", "{\"a\"}", "\"\\u12g4\"", "\"\u{1}\"", "1 2", "\u{660}"]
        for text in bad {
            XCTAssertNotNil(refused { _ = try JSON(parsing: text) }, text)
        }
        XCTAssertEqual(refused { _ = try JSON(parsing: "{\"a\":[1,{\"b\":1,\"b\":2}]}") }?.path, "a[1].b")
        XCTAssertNil(JSONNumber(text: "NaN"))
        XCTAssertNil(JSONNumber(double: Double.nan))
        XCTAssertNotNil(refused { _ = try JSON(parsing: String(repeating: "[", count: 100_000)) })
        let depth = JSON.maxDepth
        _ = try JSON(parsing: String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
    }

    func testAbsentAndNullAreKeptApart() throws {
        let fields: [(String, Presence<Int64>)] = [
            ("", Presence<Int64>.absent),
            (",\"max_thinking_tokens\":null", Presence<Int64>.null),
            (",\"max_thinking_tokens\":7", Presence<Int64>.value(7)),
        ]
        for (field, expected) in fields {
            let text = "{\"subtype\":\"set_max_thinking_tokens\"\(field)}"
            let request = try read(SetMaxThinkingTokens.self, text)
            XCTAssertEqual(request.maxThinkingTokens, expected)
            XCTAssertEqual(request.jsonValue.text, text)
        }
        // Null in a field that has no null.
        let text = "{\"subtype\":\"initialize\",\"sdkMcpServers\":null}"
        let request = try read(Initialize.self, text)
        XCTAssertNil(request.sdkMcpServers)
        XCTAssertEqual(request.jsonValue.text, text)
    }

    func testWhatATypeDoesNotKnowIsKept() throws {
        let blocks = "[{\"type\":\"text\",\"text\":\"\\ud83d\",\"new\":1.0},{\"type\":\"new\",\"a\":[null]}]"
        let inner = "{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":\(blocks),"
            + "\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}"
        let text = "{\"type\":\"assistant\",\"message\":\(inner),\"parent_tool_use_id\":null,\"session_id\":\"s\",\"uuid\":\"u\"}"
        let message = try read(AssistantMessage.self, text)
        let number = try JSON(parsing: "1.0")
        let block = TextBlock(text: JSONText(utf16: [0xD83D]), extra: ["new": number])
        XCTAssertEqual(message.message.content[0], ContentBlock.textBlock(block))
        XCTAssertEqual(message.message.content[1].jsonValue.text, "{\"type\":\"new\",\"a\":[null]}")
        XCTAssertEqual(try read(AssistantMessage.self, line(message)), message)
        XCTAssertEqual(refused { _ = try read(UserPrompt.self, text) }?.description, "type: not \"user\"")
        let wrong = text.replacingOccurrences(of: "\"new\":1.0", with: "\"citations\":7")
        XCTAssertEqual(refused { _ = try read(StdoutMessage.self, wrong) }?.path, "message.content[0].citations")
    }
}
