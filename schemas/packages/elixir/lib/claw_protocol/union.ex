defmodule ClawProtocol.Union do
  @moduledoc false
  # Declares the cases of a union, in the order in which they are tried. A case is a tuple of a shape, a type, the
  # conditions, and `:published` or `:internal`.

  defmacro __using__(options) do
    quote do
      @doc "Reads a value from JSON that `ClawProtocol.Json.decode/1` returned."
      @spec read(ClawProtocol.Json.t()) :: {:ok, t()} | {:error, ClawProtocol.LineError.t()}
      def read(json), do: ClawProtocol.Types.read({:union, __MODULE__}, json)

      @doc false
      def __claw__, do: unquote(Keyword.fetch!(options, :cases))
    end
  end
end
