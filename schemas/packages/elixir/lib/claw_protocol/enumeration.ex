defmodule ClawProtocol.Enumeration do
  @moduledoc false
  # Declares the known values of an enumeration, as atoms with their texts. No atom is made when a line is read.

  defmacro __using__(options) do
    values = Keyword.fetch!(options, :values)

    from_text =
      for {atom, text} <- values do
        quote do
          def from_text(unquote(text)), do: unquote(atom)
        end
      end

    to_text =
      for {atom, text} <- values do
        quote do
          def to_text(unquote(atom)), do: unquote(text)
        end
      end

    quote do
      @doc "Returns the known values."
      @spec known() :: [atom()]
      def known, do: unquote(Keyword.keys(values))

      @doc "Returns the atom of a text, or the text itself if it is unknown."
      @spec from_text(String.t()) :: t()
      unquote_splicing(from_text)
      def from_text(text) when is_binary(text), do: text

      @doc "Returns the text of a value. Raises `ArgumentError` for an unknown atom."
      @spec to_text(t()) :: String.t()
      unquote_splicing(to_text)
      def to_text(text) when is_binary(text), do: text

      def to_text(other) do
        raise ArgumentError, "#{inspect(other)} is no value of #{inspect(__MODULE__)}"
      end
    end
  end
end
