# frozen_string_literal: true

require "minitest/autorun"
require "stringio"
require "claw_protocol"

class ClawProtocolTest < Minitest::Test
  include ClawProtocol

  def line(message) = StringIO.new.tap { |out| ClawProtocol.write_line(out, message) }.string

  def test_what_a_host_writes
    assert_equal %({"type":"user","message":{"content":"hi","role":"user"}}\n), line(ClawProtocol.prompt("hi"))
    blocks = [TextBlock.new(text: "hi")]
    assert_equal %({"type":"user","message":{"content":[{"type":"text","text":"hi"}],"role":"user"}}\n),
                 line(ClawProtocol.prompt(blocks))
    assert_equal %({"type":"control_request","request":{"subtype":"initialize","sdkMcpServers":["a"]},"request_id":"1"}\n),
                 line(ClawProtocol.request("1", Initialize.new(sdk_mcp_servers: ["a"])))
    request = CanUseTool.new(tool_name: "Bash", tool_use_id: "t", input: { "a" => 1.0 })
    allow = ClawProtocol.allow(request)
    assert_equal PermissionDeny.new(message: "no"), ClawProtocol.deny("no")
    answer = %({"subtype":"success","request_id":"1","response":{"behavior":"allow","updatedInput":{"a":1.0}}})
    assert_equal %({"type":"control_response","response":#{answer}}\n), line(ClawProtocol.answer("1", allow))
    assert_equal %({"type":"control_response","response":{"subtype":"error","error":"no","request_id":"1"}}\n),
                 line(ClawProtocol.refuse("1", "no"))
    assert_equal %({"type":"control_cancel_request","request_id":"1"}\n), line(ClawProtocol.cancel("1"))
  end

  def test_a_record_has_its_fields_and_no_others
    assert_raises(ArgumentError) { TextBlock.new }
    assert_raises(ArgumentError) { TextBlock.new(text: "a", texts: "b") }
    assert_equal TextBlock.new(text: "a"), TextBlock.read({ "type" => "text", "text" => "a" })
    refute_equal TextBlock.new(text: "a"), TextBlock.new(text: "b")
  end

  def test_a_response_has_the_type_of_its_request
    denied = CanUseTool.allocate.read_response({ "behavior" => "deny", "message" => "no" })
    assert_equal PermissionDeny.new(message: "no"), denied
    assert_nil Interrupt.new.read_response(nil)
    assert_instance_of SetPermissionModeResponse, SetPermissionMode.allocate.read_response({ "mode" => "plan" })
  end

  def test_absent_and_null_are_kept_apart
    text = { nil => "{}", [] => '{"askForTools":[]}', NULL => '{"askForTools":null}' }
    kind = Class.new(Record) do
      attr_accessor :tools

      field :tools, "askForTools", [:list, :string], nullable: true
    end
    text.each do |value, json|
      assert_equal json, kind.new(tools: value).to_json
      read = kind.read(Parser.parse(json))
      assert_equal json, read.to_json
      assert_equal json.include?("null"), read.null?(:tools)
      assert_equal [value.is_a?(Array) ? value : nil], [read.tools]
      read.tools = ["a"]
      assert_equal '{"askForTools":["a"]}', read.to_json
    end
  end

  def test_a_reader_continues_after_a_bad_line
    reader = Reader.new(StringIO.new("\nno\r\n{\"type\":\"keep_alive\"}\r\n\n{\"type\":\"a\"}"))
    error = assert_raises(LineError) { reader.next }
    assert_equal [2, "no\r\n"], [error.line, error.text]
    assert_instance_of KeepAlive, reader.next
    assert_equal Unknown.new({ "type" => "a" }), reader.next
    assert_nil reader.next
    found = Reader.new(StringIO.new("no\n{\"type\":\"keep_alive\"}\n")).each.map { |message, error| message || error.reason }
    assert_equal "no JSON at byte 0", found.first
    assert_equal 2, found.length
  end

  def test_a_long_line_is_passed
    reader = Reader.new(StringIO.new("#{"x" * (Reader::MAX_LINE + 9)}\n{\"type\":\"keep_alive\"}\n"))
    assert_nil assert_raises(LineError) { reader.next }.text
    assert_instance_of KeepAlive, reader.next
  end

  def test_every_value_has_its_json
    text = '{"type":"of_tomorrow","n":1.0,"big":1e400,"x":null}'
    assert_equal text, ClawProtocol.read_stdout(text).to_json
    assert_equal ["null", "-0"], [NULL.to_json, Parser.parse("-0").to_json]
  end

  def test_a_result_of_a_newer_version_is_a_result
    result = { "type" => "result", "subtype" => "error_of_tomorrow" }
    assert ClawProtocol.result?(Unknown.new(result))
    refute ClawProtocol.result?(Unknown.new({ "type" => "user" }))
    refute ClawProtocol.result?(KeepAlive.new)
  end

  def test_numbers_are_exact
    [1.0, 1e-7, 0.1, -0.0, 12_345_678_901_234_567_890].each { |number| assert_equal number, Parser.parse(number.to_s) }
    ["1e400", "0.10000000000000001", "-1e-400", "-0"].each do |text|
      number = Parser.parse(text)
      assert_equal [Decimal, text], [number.class, number.to_s]
    end
    assert_instance_of Float, Parser.parse("0.1000e2")
    assert_raises(ArgumentError) { Writer.write(Float::NAN, +"") }
  end

  def test_a_key_may_occur_twice_with_one_value
    message = ClawProtocol.read_stdout('{"type":"keep_alive","type":"keep_alive","a":[1],"a":[1]}')
    assert_equal '{"type":"keep_alive","a":[1]}', message.to_json
    error = assert_raises(LineError) { ClawProtocol.read_stdout('{"type":"keep_alive","a":{"b":1,"b":1.0}}') }
    assert_equal "a.b", error.path
  end

  def test_halves_of_surrogate_pairs_are_written_as_they_came
    text = Parser.parse('"a\ud83d\u00e9\ude00\ud83d\ude00"')
    out = Writer.write(text, +"")
    assert_equal %("a\\ud83dé\\ude00😀"), out
  end
end
