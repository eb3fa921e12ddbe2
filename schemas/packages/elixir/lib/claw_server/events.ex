defmodule ClawServer.Events do
  @moduledoc false
  # Divides what a server sends into events.

  alias ClawProtocol.{Json, LineError, Types}

  # The number of bytes that an event may have.
  @max 64 * 1024 * 1024

  @enforce_keys [:type]
  defstruct [:type, rest: [], size: 0, name: "", id: nil, data: nil]

  @doc "Returns the events that end in a piece, and the state for the next piece. Its size is over the limit at the end."
  def push(%__MODULE__{} = state, piece) do
    [first | others] = :binary.split(piece, "\n", [:global])
    state = %{state | rest: [state.rest | first], size: state.size + byte_size(first)}

    {events, state} =
      Enum.reduce(others, {[], state}, fn next, {events, state} ->
        line = state.rest |> IO.iodata_to_binary() |> String.trim_trailing("\r")
        {found, state} = line(state, line)
        {found ++ events, %{state | rest: [next], size: state.size + byte_size(next)}}
      end)

    {Enum.reverse(events), state}
  end

  @doc "Whether an event is too long."
  def too_long?(%__MODULE__{size: size}), do: size > @max

  defp line(%{data: nil} = state, ""), do: {[], %{state | name: "", size: 0}}

  defp line(state, "") do
    data = state.data |> Enum.reverse() |> Enum.intersperse("\n") |> IO.iodata_to_binary()
    {[event(state, Json.decode(data))], %{state | name: "", data: nil, size: 0}}
  end

  defp line(state, line) do
    {key, value} =
      case :binary.split(line, ":") do
        [key, value] -> {key, String.replace_prefix(value, " ", "")}
        [key] -> {key, ""}
      end

    case key do
      "id" -> {[], %{state | id: value}}
      "event" -> {[], %{state | name: value}}
      "data" -> {[], %{state | data: [value | state.data || []]}}
      # A comment, or a field of a later version.
      _ -> {[], state}
    end
  end

  defp event(state, {:ok, data}) do
    json = %{"event" => state.name, "data" => data}
    json = if state.id, do: Map.put(json, "id", state.id), else: json
    Types.read(state.type, json)
  end

  defp event(_state, {:error, %LineError{} = error}), do: {:error, error}
end
