defmodule ClawProtocol.Record do
  @moduledoc false
  # Declares a struct with the fields of an object. A field is a tuple of its name, its key, its type, and how it may
  # appear: `:required`, `:required_or_null`, `:optional` or `:optional_or_null`.

  defmacro __using__(options) do
    fields = Keyword.fetch!(options, :fields)
    tags = Keyword.get(options, :tags, [])
    names = for {:{}, _, [name | _]} <- fields, do: name
    enforced = for {:{}, _, [name, _key, _type, :required]} <- fields, do: name

    keys =
      for({:{}, _, [_name, key | _]} <- fields, do: key) ++ for {key, _value} <- tags, do: key

    quote do
      @enforce_keys unquote(enforced)
      defstruct unquote(names) ++ [extra: %{}]

      @doc "Reads a value from JSON that `ClawProtocol.Json.decode/1` returned."
      @spec read(ClawProtocol.Json.t()) :: {:ok, t()} | {:error, ClawProtocol.LineError.t()}
      def read(json), do: ClawProtocol.Types.read({:record, __MODULE__}, json)

      @doc false
      def __claw__ do
        %{
          tags: unquote(tags),
          fields: unquote(fields),
          keys: unquote(keys),
          response: unquote(Keyword.get(options, :response, :json))
        }
      end
    end
  end
end
