defmodule ClawProtocol.Decimal do
  @moduledoc """
  A number that neither an integer nor a float of Elixir keeps: `1e400`, `0.10000000000000001`, `-0`, or an integer of
  more than 1000 digits. It is written as it came.
  """

  @enforce_keys [:text]
  defstruct [:text]

  @typedoc "The text is the number as it was written."
  @type t :: %__MODULE__{text: String.t()}

  defimpl String.Chars do
    def to_string(decimal), do: decimal.text
  end
end
