defmodule ClawProtocol do
  @moduledoc """
  Reads and writes the lines of the stream-json protocol of the claude CLI (`--input-format stream-json --output-format
  stream-json --verbose`), and loses nothing of them.

  Each kind of line is a struct, and so is the body of each control request. A value of an unknown kind is a
  `ClawProtocol.Unknown`. Fields that a struct does not know are in its `:extra`. Both are written as they came.
  """

  alias ClawProtocol.{Json, LineError, Lines, Types}
  alias ClawProtocol.{ControlCancelRequest, ControlError, ControlRequest, ControlResponse}
  alias ClawProtocol.{ControlSuccess, MessageParam, UserPrompt}

  @typedoc """
  What a line is: what claude writes to its stdout, what it reads from its stdin, or an entry of a session's file on disk.
  """
  @type direction :: :stdout | :stdin | :transcript

  @type message ::
          ClawProtocol.StdoutMessage.t() | ClawProtocol.StdinMessage.t() | ClawProtocol.Entry.t()

  @doc "Reads a line that claude wrote to its stdout."
  @spec read_stdout(binary()) :: {:ok, ClawProtocol.StdoutMessage.t()} | {:error, LineError.t()}
  def read_stdout(line), do: read_line(line, :stdout)

  @doc "Reads a line that a host wrote to the stdin of claude."
  @spec read_stdin(binary()) :: {:ok, ClawProtocol.StdinMessage.t()} | {:error, LineError.t()}
  def read_stdin(line), do: read_line(line, :stdin)

  @doc "Reads a line of a session's file on disk."
  @spec read_entry(binary()) :: {:ok, ClawProtocol.Entry.t()} | {:error, LineError.t()}
  def read_entry(line), do: read_line(line, :transcript)

  @doc "Reads a line of a direction."
  @spec read_line(binary(), direction()) :: {:ok, message()} | {:error, LineError.t()}
  def read_line(line, direction) do
    case Json.decode(line) do
      {:ok, json} when is_map(json) and not is_struct(json) -> Types.read(root(direction), json)
      {:ok, json} -> {:error, LineError.at([], "#{Types.name_of(json)} in place of an object")}
      {:error, error} -> {:error, error}
    end
  end

  defp root(:stdout), do: {:union, ClawProtocol.StdoutMessage}
  defp root(:stdin), do: {:union, ClawProtocol.StdinMessage}
  defp root(:transcript), do: {:union, ClawProtocol.Entry}

  @doc """
  Returns a stream of the lines in pieces of data, such as `File.stream!(path, [], 65_536)` or
  `IO.binstream(:stdio, :line)`. Each item is `{:ok, message}`, or `{:error, error}` for a line that cannot be read.
  """
  @spec stream(Enumerable.t(), direction()) :: Enumerable.t()
  def stream(pieces, direction \\ :stdout) do
    Stream.transform(
      pieces,
      fn -> Lines.new(direction) end,
      fn piece, lines -> Lines.push(lines, piece) end,
      fn lines -> {Lines.finish(lines), nil} end,
      fn _lines -> :ok end
    )
  end

  @doc """
  Returns a message as a line, with its line feed.

  Raises `ArgumentError` if a field has a value that is none of its type.
  """
  @spec to_line(message()) :: iodata()
  def to_line(message) when is_struct(message), do: [Types.encode(:json, message), ?\n]

  @doc "Returns a prompt: a text or content blocks."
  @spec prompt(String.t() | [ClawProtocol.ContentBlock.t()]) :: UserPrompt.t()
  def prompt(content), do: %UserPrompt{message: %MessageParam{role: :user, content: content}}

  @doc "Returns a control request. No other pending request of the session may have its ID."
  @spec request(String.t(), ClawProtocol.ControlRequestBody.t()) :: ControlRequest.t()
  def request(id, body), do: %ControlRequest{request_id: id, request: body}

  @doc """
  Returns the answer to a control request: a `ClawProtocol.PermissionAllow` for a `ClawProtocol.CanUseTool`, a
  `ClawProtocol.SyncHookOutput` for a `ClawProtocol.HookCallback`, a `ClawProtocol.McpMessageResponse` for a
  `ClawProtocol.McpMessage`. `nil` is left out.
  """
  @spec answer(String.t(), struct() | Json.t()) :: ControlResponse.t()
  def answer(id, response \\ nil) do
    %ControlResponse{response: %ControlSuccess{request_id: id, response: response}}
  end

  @doc "Returns the answer to a control request that the host cannot fulfil."
  @spec refuse(String.t(), String.t()) :: ControlResponse.t()
  def refuse(id, why) do
    %ControlResponse{response: %ControlError{request_id: id, error: why}}
  end

  @doc "Returns the line that withdraws a control request."
  @spec cancel(String.t()) :: ControlCancelRequest.t()
  def cancel(id), do: %ControlCancelRequest{request_id: id}

  @doc """
  Reads the response to a control request: the `:response` of a `ClawProtocol.ControlSuccess`. It has the type that the
  body of the request says, or is `nil` if the answer has none.
  """
  @spec read_response(ClawProtocol.ControlRequestBody.t(), Json.t()) ::
          {:ok, term()} | {:error, LineError.t()}
  def read_response(_body, none) when none in [nil, :null], do: {:ok, nil}
  def read_response(%ClawProtocol.Unknown{}, json), do: {:ok, json}
  def read_response(%module{}, json), do: Types.read(module.__claw__().response, json)
end
