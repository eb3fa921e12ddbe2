defmodule ClawProtocolTest do
  use ExUnit.Case, async: true

  alias ClawProtocol.{AssistantMessage, CanUseTool, Decimal, Initialize, Interrupt, Json}
  alias ClawProtocol.{KeepAlive, LineError, Lines, PermissionAllow, PermissionDeny}
  alias ClawProtocol.{PermissionMode, SetPermissionMode, SetPermissionModeResponse, TextBlock}
  alias ClawProtocol.{Types, Unknown}

  # A type of which all four kinds of fields are known.
  defmodule Both do
    use ClawProtocol.Record,
      fields: [
        {:tools, "askForTools", {:list, :string}, :optional_or_null},
        {:mode, "mode", {:enumeration, PermissionMode}, :optional},
        {:name, "name", :string, :required_or_null}
      ]

    @type t :: %__MODULE__{}
  end

  defp line(message), do: message |> ClawProtocol.to_line() |> IO.iodata_to_binary()
  defp parse(text), do: with({:ok, json} <- Json.decode(text), do: json)
  defp json(value), do: :json |> Types.encode(value) |> IO.iodata_to_binary()

  test "what a host writes" do
    assert line(ClawProtocol.prompt("hi")) ==
             ~s({"type":"user","message":{"content":"hi","role":"user"}}\n)

    assert line(ClawProtocol.prompt([%TextBlock{text: "hi"}])) ==
             ~s({"type":"user","message":{"content":[{"type":"text","text":"hi"}],"role":"user"}}\n)

    assert line(ClawProtocol.request("1", %Initialize{sdk_mcp_servers: ["a"]})) ==
             ~s({"type":"control_request","request":{"subtype":"initialize","sdkMcpServers":["a"]},"request_id":"1"}\n)

    answer =
      ~s({"subtype":"success","request_id":"1","response":{"behavior":"allow","updatedInput":{"a":1.0}}})

    assert line(ClawProtocol.answer("1", %PermissionAllow{updated_input: %{"a" => 1.0}})) ==
             ~s({"type":"control_response","response":#{answer}}\n)

    assert line(ClawProtocol.refuse("1", "no")) ==
             ~s({"type":"control_response","response":{"subtype":"error","error":"no","request_id":"1"}}\n)

    assert line(ClawProtocol.cancel("1")) ==
             ~s({"type":"control_cancel_request","request_id":"1"}\n)
  end

  test "a response has the type of its request" do
    body = struct(CanUseTool)
    response = %{"behavior" => "deny", "message" => "no"}
    assert ClawProtocol.read_response(body, response) == {:ok, %PermissionDeny{message: "no"}}
    assert ClawProtocol.read_response(%Interrupt{}, nil) == {:ok, nil}
    mode = struct(SetPermissionMode)

    assert {:ok, %SetPermissionModeResponse{mode: :plan}} =
             ClawProtocol.read_response(mode, %{"mode" => "plan"})

    assert {:error, %LineError{path: "mode"}} = ClawProtocol.read_response(mode, %{"mode" => 7})
  end

  test "absent and null are kept apart" do
    for {tools, text} <- [
          {nil, ~s({"name":null})},
          {[], ~s({"askForTools":[],"name":null})},
          {:null, ~s({"askForTools":null,"name":null})}
        ] do
      assert json(%Both{tools: tools}) == text
      assert {:ok, %Both{tools: ^tools} = read} = Both.read(parse(text))
      assert json(read) == text
      assert json(%{read | tools: ["a"]}) == ~s({"askForTools":["a"],"name":null})
    end

    # Null in a field that has no null is written as it came, until the field has a value.
    assert {:ok, %Both{mode: nil} = read} = Both.read(parse(~s({"mode":null,"name":null})))
    assert json(read) == ~s({"name":null,"mode":null})
    assert json(%{read | mode: :plan}) == ~s({"mode":"plan","name":null})
    assert {:error, %LineError{path: "name"}} = Both.read(%{})
  end

  test "an enumeration keeps unknown values, and makes no atoms" do
    assert {:ok, %Both{mode: :accept_edits}} =
             Both.read(parse(~s({"mode":"acceptEdits","name":""})))

    before = :erlang.system_info(:atom_count)

    assert {:ok, %Both{mode: "of_tomorrow_7"} = read} =
             Both.read(parse(~s({"mode":"of_tomorrow_7","name":""})))

    assert json(read) == ~s({"mode":"of_tomorrow_7","name":""})
    assert :erlang.system_info(:atom_count) == before
    assert :plan in PermissionMode.known()

    assert_raise ArgumentError, ~r/mode: :of_tomorrow is no value/, fn ->
      json(%Both{mode: :of_tomorrow})
    end
  end

  test "a value that is none of a field's type is not written" do
    assert_raise ArgumentError, ~r/TextBlock.text: nil in place of a string/, fn ->
      json(%TextBlock{text: nil})
    end

    assert_raise ArgumentError, ~r/tools: "a" in place of an array/, fn ->
      json(%Both{tools: "a"})
    end

    assert_raise ArgumentError, ~r/no number/, fn -> json([%Decimal{text: "1,\"a\":2"}]) end
    assert_raise ArgumentError, ~r/:a has no JSON/, fn -> json(%{"a" => :a}) end
    assert_raise ArgumentError, ~r/:a is no key/, fn -> json(%{a: 1}) end
    assert_raise ArgumentError, fn -> json(%{"a" => ~D[2020-01-01]}) end
  end

  test "lines are read from pieces of any size" do
    text = "\nno\r\n{\"type\":\"keep_alive\"}\r\n\n{\"type\":\"a\",\"b\":\"é\"}"

    for size <- 1..byte_size(text) do
      pieces = for <<piece::binary-size(size) <- text>>, do: piece
      rest = binary_part(text, size * length(pieces), rem(byte_size(text), size))
      lines = (pieces ++ [rest]) |> ClawProtocol.stream() |> Enum.to_list()

      assert [{:error, error}, {:ok, %KeepAlive{}}, {:ok, %Unknown{json: %{"b" => "é"}}}] = lines
      assert %LineError{line: 2, reason: "no JSON at byte 0"} = error
    end
  end

  test "a long line is passed" do
    piece = String.duplicate("x", 1024 * 1024)
    pieces = List.duplicate(piece, 65) ++ ["\n{\"type\":\"keep_alive\"}\n"]

    assert [{:error, %LineError{line: 1}}, {:ok, %KeepAlive{}}] =
             Enum.to_list(ClawProtocol.stream(pieces))

    {[], lines} = Lines.push(Lines.new(:stdout), "{")
    assert [{:error, %LineError{line: 1}}] = Lines.finish(lines)
  end

  test "an error has a path" do
    message =
      ~s({"type":"assistant","uuid":"u","session_id":"s","parent_tool_use_id":null,"message":7})

    assert {:error, error} = ClawProtocol.read_stdout(message)

    assert Exception.message(error) ==
             "message: a number in place of an object (ClawProtocol.ApiMessage)"

    assert {:error, error} = Json.decode(~S({"a\u001b":[{"b":1,"b":2}]}))
    assert error.path == "a\\u001B[0].b"
    assert {:error, %LineError{path: ""}} = ClawProtocol.read_stdout("[]")
    assert {:error, %LineError{path: ""}} = ClawProtocol.read_stdout(<<?", 0xFF, ?">>)
    refute match?({:ok, %AssistantMessage{}}, ClawProtocol.read_stdin(message))
  end

  test "numbers are exact" do
    for number <- [
          1,
          -1,
          0,
          1.0,
          1.0e-7,
          0.1,
          -0.0,
          12_345_678_901_234_567_890,
          1.7976931348623157e308,
          5.0e-324
        ] do
      assert parse(to_string(number)) === number
    end

    assert parse("0.1000e2") === 10.0
    assert parse("1E+2") === 100.0
    long = String.duplicate("7", 5_000)

    for text <- ["1e400", "0.10000000000000001", "-1e-400", "-0", "1e99999999999999999999", long] do
      assert parse(text) == %Decimal{text: text}
      assert json([parse(text)]) == "[#{text}]"
    end

    for text <- ["01", "1.", ".5", "+1", "1e", "1e+", "-", "0x1", "1.e1", "Infinity", "--1"] do
      assert {:error, %LineError{}} = Json.decode(text)
    end
  end

  test "a key may occur twice with one value" do
    text = ~s({"type":"keep_alive","type":"keep_alive","a":[1],"a":[1]})
    assert {:ok, message} = ClawProtocol.read_stdout(text)
    assert line(message) == ~s({"type":"keep_alive","a":[1]}\n)

    for {a, b} <- [{"1", "1.0"}, {"0.0", "-0.0"}, {"null", "false"}, {"[]", "{}"}] do
      text = ~s({"type":"keep_alive","a":{"b":#{a},"b":#{b}}})
      assert {:error, %LineError{path: "a.b"}} = ClawProtocol.read_stdout(text)
    end
  end

  test "strings are exact" do
    assert json(parse(~S("a\ud83d\u00e9\ude00\ud83d\ude00\ud83d\ud83d\ude00"))) ==
             ~S("a\ud83dé\ude00😀\ud83d😀")

    assert parse(~S("\"\\\/\b\f\n\r\t\u0041")) == "\"\\/\b\f\n\r\tA"
    assert json("\"\\/\b\u007f\u2028") == ~s("\\"\\\\/\\u0008\u007f\u2028")
    assert json(<<"a", 0xFF, "b">>) == ~s("a\uFFFDb")

    for text <- [~S("\x"), ~S("\u12g4"), ~S("\ud83d\u12), ~S("a), "\"\n\"", ~S("\u+123"), "'a'"] do
      assert {:error, %LineError{}} = Json.decode(text)
    end
  end

  test "depth has a bound" do
    deep = fn levels -> String.duplicate("[", levels) <> String.duplicate("]", levels) end
    assert {:ok, _} = Json.decode(deep.(512))
    assert {:error, %LineError{}} = Json.decode(deep.(100_000))
  end

  test "what is not JSON is refused" do
    for text <- [
          "",
          " ",
          "{",
          "[1,]",
          "{\"a\":1,}",
          "{a:1}",
          "[1 2]",
          "{} {}",
          "tru",
          "nul",
          "\uFEFF{}",
          "{\"a\"}"
        ] do
      assert {:error, %LineError{path: path}} = Json.decode(text)
      assert path == ""
    end
  end
end
