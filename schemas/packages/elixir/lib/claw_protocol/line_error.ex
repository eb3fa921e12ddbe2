defmodule ClawProtocol.LineError do
  @moduledoc """
  A line or a value that cannot be read.

    * `:path` - where the mistake is, such as `message.content[2].type`. It is empty if the line as a whole is wrong.
    * `:reason` - what is wrong.
    * `:line` - the number of the line, from 1, if `ClawProtocol.Lines` read it, else `nil`.

  Control characters of a key are escaped in the path.
  """

  defexception path: "", reason: "", line: nil

  @type t :: %__MODULE__{path: String.t(), reason: String.t(), line: pos_integer() | nil}

  @impl true
  def message(%__MODULE__{path: "", reason: reason}), do: reason
  def message(%__MODULE__{path: path, reason: reason}), do: path <> ": " <> reason

  @doc false
  # The steps are keys and indexes, the innermost first.
  @spec at([String.t() | non_neg_integer()], String.t()) :: t()
  def at(steps, reason) do
    path = steps |> Enum.reverse() |> Enum.map_join(&step/1)
    %__MODULE__{path: String.replace_prefix(path, ".", ""), reason: reason}
  end

  defp step(index) when is_integer(index), do: "[#{index}]"
  defp step(key), do: "." <> printable(key, "")

  defp printable(<<char::utf8, rest::binary>>, out) when char < 0x20 or char in 0x7F..0x9F do
    hex = char |> Integer.to_string(16) |> String.pad_leading(4, "0")
    printable(rest, out <> "\\u" <> hex)
  end

  defp printable(<<char::utf8, rest::binary>>, out),
    do: printable(rest, <<out::binary, char::utf8>>)

  defp printable(<<_, rest::binary>>, out), do: printable(rest, out <> "\uFFFD")
  defp printable(<<>>, out), do: out
end
