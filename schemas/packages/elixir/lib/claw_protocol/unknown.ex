defmodule ClawProtocol.Unknown do
  @moduledoc """
  A value of a union that this package does not know, or of an internal kind in another form. It is written as it came.

    * `:json` - the JSON of the value.
    * `:error` - why a value with the tags of a known kind is unknown. `nil` if the tags are unknown.
  """

  @enforce_keys [:json]
  defstruct [:json, :error]

  @type t :: %__MODULE__{json: ClawProtocol.Json.t(), error: ClawProtocol.LineError.t() | nil}
end
