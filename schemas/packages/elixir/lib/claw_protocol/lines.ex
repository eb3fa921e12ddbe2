defmodule ClawProtocol.Lines do
  @moduledoc """
  Divides what comes from a port or a file into lines, and reads them. The pieces may be of any size.

      lines = ClawProtocol.Lines.new(:stdout)

      receive do
        {^port, {:data, data}} -> {results, lines} = ClawProtocol.Lines.push(lines, data)
      end

  Blank lines are skipped. A line over 64 MiB is an error, and is not kept in memory.
  """

  alias ClawProtocol.LineError

  @max_line 64 * 1024 * 1024

  @enforce_keys [:direction]
  defstruct [:direction, pending: [], size: 0, number: 1]

  @opaque t :: %__MODULE__{
            direction: ClawProtocol.direction(),
            pending: iodata(),
            size: non_neg_integer(),
            number: pos_integer()
          }

  @type result :: {:ok, ClawProtocol.message()} | {:error, LineError.t()}

  @doc "Returns a reader to which nothing has come."
  @spec new(ClawProtocol.direction()) :: t()
  def new(direction) when direction in [:stdout, :stdin, :transcript] do
    %__MODULE__{direction: direction}
  end

  @doc "Reads the lines that end in a piece of data, in their order."
  @spec push(t(), binary()) :: {[result()], t()}
  def push(%__MODULE__{} = lines, data) do
    [first | rest] = :binary.split(data, "\n", [:global])

    {results, lines} =
      Enum.reduce(rest, {[], add(lines, first)}, fn piece, {results, lines} ->
        {ended, lines} = end_line(lines)
        {ended ++ results, add(lines, piece)}
      end)

    {Enum.reverse(results), lines}
  end

  @doc "Reads the last line, if no line feed ended it."
  @spec finish(t()) :: [result()]
  def finish(%__MODULE__{} = lines), do: lines |> end_line() |> elem(0)

  defp add(lines, ""), do: lines

  defp add(%{size: size} = lines, piece) do
    size = size + byte_size(piece)
    pending = if size > @max_line, do: [], else: [lines.pending | piece]
    %{lines | size: size, pending: pending}
  end

  defp end_line(lines) do
    next = %{lines | pending: [], size: 0, number: lines.number + 1}

    result =
      if lines.size > @max_line do
        {:error, LineError.at([], "the line has more than #{@max_line} bytes")}
      else
        line = IO.iodata_to_binary(lines.pending)
        if blank?(line), do: nil, else: ClawProtocol.read_line(line, lines.direction)
      end

    case result do
      nil -> {[], next}
      {:ok, message} -> {[{:ok, message}], next}
      {:error, error} -> {[{:error, %{error | line: lines.number}}], next}
    end
  end

  defp blank?(<<byte, rest::binary>>) when byte in [?\s, ?\t, ?\r], do: blank?(rest)
  defp blank?(rest), do: rest == ""
end
