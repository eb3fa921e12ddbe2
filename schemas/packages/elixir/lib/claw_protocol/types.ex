defmodule ClawProtocol.Types do
  @moduledoc false
  # Reads JSON into the types of this package, and writes them. A type is `:json`, `:string`, `:boolean`, `:integer`,
  # `:number`, `{:list, type}`, `{:map, type}`, `{:nullable, type}`, or a module: `{:record, module}`, `{:union, module}`
  # or `{:enumeration, module}`.

  alias ClawProtocol.{Decimal, Json, LineError, Unknown}

  @doc "Reads a value."
  def read(type, json) do
    {:ok, read(type, json, [])}
  catch
    {:mistake, steps, reason} -> {:error, LineError.at(steps, reason)}
  end

  @doc "Reads a value at the path of the steps, the innermost first. Throws a mistake."
  def read(:json, json, _steps), do: json
  def read(:string, json, _steps) when is_binary(json), do: json
  def read(:boolean, json, _steps) when is_boolean(json), do: json
  def read(:integer, json, _steps) when is_integer(json), do: json
  def read(:number, json, _steps) when is_number(json), do: json
  def read(:number, %Decimal{} = json, _steps), do: json
  def read({:nullable, _type}, nil, _steps), do: nil
  def read({:nullable, type}, json, steps), do: read(type, json, steps)

  def read({:list, type}, json, steps) when is_list(json) do
    for {item, index} <- Enum.with_index(json), do: read(type, item, [index | steps])
  end

  def read({:map, type}, json, steps) when is_map(json) and not is_struct(json) do
    Map.new(json, fn {key, item} -> {key, read(type, item, [key | steps])} end)
  end

  def read({:enumeration, module}, json, _steps) when is_binary(json), do: module.from_text(json)

  def read({:record, module}, json, steps) when is_map(json) and not is_struct(json) do
    read_record(module.__claw__(), module.__struct__(), json, steps)
  end

  def read({:union, module}, json, steps) do
    shape = shape(json)

    case Enum.filter(module.__claw__(), &(elem(&1, 0) == shape)) do
      [] -> mistake(steps, "#{name(shape)} where the type has none")
      cases -> cases |> Enum.find(&accepts?(&1, json)) |> read_case(json, steps)
    end
  end

  def read(type, json, steps) do
    mistake(steps, "#{name(shape(json))} in place of #{expected(type)}")
  end

  @spec mistake(list(), String.t()) :: no_return()
  defp mistake(steps, reason), do: throw({:mistake, steps, reason})

  defp read_case(nil, json, _steps), do: %Unknown{json: json}

  defp read_case({_shape, type, _conditions, :published}, json, steps),
    do: read(type, json, steps)

  # An internal kind may have another form.
  defp read_case({_shape, type, _conditions, :internal}, json, steps) do
    read(type, json, steps)
  catch
    {:mistake, steps, reason} -> %Unknown{json: json, error: LineError.at(steps, reason)}
  end

  # A condition is a key, its values (any value, if there are none), and whether the key may be absent.
  defp accepts?({_shape, _type, conditions, _origin}, json) do
    Enum.all?(conditions, fn {key, values, may_be_absent} ->
      case json do
        %{^key => value} -> values == [] or value in values
        _ -> may_be_absent
      end
    end)
  end

  defp read_record(plan, record, json, steps) do
    for {key, value} <- plan.tags do
      case json do
        %{^key => ^value} -> :ok
        %{^key => _other} -> mistake([key | steps], "not #{inspect(value)}")
        _ -> mistake([key | steps], "the key is missing")
      end
    end

    {record, extra} =
      Enum.reduce(plan.fields, {record, Map.drop(json, plan.keys)}, fn field, {record, extra} ->
        {name, key, type, presence} = field

        case json do
          %{^key => nil} when presence == :required_or_null ->
            {record, extra}

          %{^key => nil} when presence == :optional_or_null ->
            {Map.put(record, name, :null), extra}

          # The type has no null, but the line has it.
          %{^key => nil} when presence == :optional ->
            {record, Map.put(extra, key, nil)}

          %{^key => value} ->
            {Map.put(record, name, read(type, value, [key | steps])), extra}

          _ when presence in [:required, :required_or_null] ->
            mistake([key | steps], "the key is missing")

          _ ->
            {record, extra}
        end
      end)

    %{record | extra: extra}
  end

  @doc "Returns a value as JSON. Raises `ArgumentError` if the value is none of the type."
  def encode(:json, %module{} = value) when module not in [Decimal, Unknown] do
    encode({:record, module}, value)
  end

  def encode(:json, %Unknown{json: json}), do: Json.encode(json)
  def encode(:json, value), do: Json.encode(value)
  def encode(:string, value) when is_binary(value), do: Json.encode(value)
  def encode(:boolean, value) when is_boolean(value), do: Json.encode(value)
  def encode(:integer, value) when is_integer(value), do: Json.encode(value)
  def encode(:number, value) when is_number(value), do: Json.encode(value)
  def encode(:number, %Decimal{} = value), do: Json.encode(value)
  def encode({:nullable, _type}, nil), do: "null"
  def encode({:nullable, type}, value), do: encode(type, value)

  def encode({:list, type}, value) when is_list(value) do
    [?[, value |> Enum.map(&encode(type, &1)) |> Enum.intersperse(?,), ?]]
  end

  def encode({:map, type}, value) when is_map(value) and not is_struct(value) do
    Json.object(for {key, item} <- value, do: {key, encode(type, item)})
  end

  def encode({:enumeration, module}, value) when is_atom(value) or is_binary(value) do
    value |> module.to_text() |> Json.encode()
  end

  def encode({:union, _module}, %module{} = value) when module != Decimal,
    do: encode(:json, value)

  def encode({:union, module} = type, value) do
    shape = if is_atom(value) and not is_boolean(value), do: :string, else: shape(value)

    case Enum.find(module.__claw__(), &(elem(&1, 0) == shape and inline?(elem(&1, 1)))) do
      nil -> no_value(type, value)
      {_shape, inner, _conditions, _origin} -> encode(inner, value)
    end
  end

  def encode({:record, module}, %module{} = value), do: encode_record(module, value)
  def encode(type, value), do: no_value(type, value)

  @spec no_value(term(), term()) :: no_return()
  defp no_value(type, value) do
    shown = inspect(value, limit: 5, printable_limit: 100)
    raise ArgumentError, "#{shown} in place of #{expected(type)}"
  end

  # Whether a case of a union is no struct.
  defp inline?({:record, _module}), do: false
  defp inline?(_type), do: true

  defp encode_record(module, record) do
    unless Code.ensure_loaded?(module) and function_exported?(module, :__claw__, 0) do
      no_value(:json, record)
    end

    plan = module.__claw__()

    fields =
      for {name, key, type, presence} <- plan.fields,
          json = field(module, name, type, presence, Map.fetch!(record, name)),
          do: {key, json}

    # A field that has a value again does not also come from the extra ones.
    extra = record.extra |> Map.drop(Enum.map(fields, &elem(&1, 0)))
    tags = for {key, value} <- plan.tags, do: {key, Json.encode(value)}

    extra =
      for {key, value} <- extra, not List.keymember?(tags, key, 0), do: {key, Json.encode(value)}

    Json.object(tags ++ fields ++ extra)
  end

  # Returns nil for an absent field.
  defp field(_module, _name, _type, presence, nil)
       when presence in [:optional, :optional_or_null],
       do: nil

  defp field(_module, _name, _type, :required_or_null, nil), do: "null"
  defp field(_module, _name, _type, :optional_or_null, :null), do: "null"
  defp field(_module, _name, :json, :required, nil), do: "null"

  defp field(module, name, type, _presence, value) do
    encode(type, value)
  rescue
    error in ArgumentError ->
      reraise ArgumentError, "#{inspect(module)}.#{name}: #{error.message}", __STACKTRACE__
  end

  defp shape(nil), do: :null
  defp shape(json) when is_boolean(json), do: :boolean
  defp shape(json) when is_binary(json), do: :string
  defp shape(json) when is_number(json), do: :number
  defp shape(%Decimal{}), do: :number
  defp shape(json) when is_list(json), do: :array
  defp shape(json) when is_map(json), do: :object
  defp shape(_other), do: :other

  @doc "Returns the words for a JSON value in the reason of an error."
  def name_of(json), do: json |> shape() |> name()

  defp name(:null), do: "null"
  defp name(:boolean), do: "a boolean"
  defp name(:string), do: "a string"
  defp name(:number), do: "a number"
  defp name(:array), do: "an array"
  defp name(:object), do: "an object"
  defp name(:other), do: "no JSON"

  defp expected({:nullable, type}), do: expected(type)
  defp expected({:list, _type}), do: "an array"
  defp expected({:map, _type}), do: "an object"
  defp expected({:record, module}), do: "an object (#{inspect(module)})"
  defp expected({:union, module}), do: inspect(module)
  defp expected({:enumeration, _module}), do: "a string"
  defp expected(:integer), do: "an integer"
  defp expected(:json), do: "JSON"
  defp expected(shape), do: name(shape)
end
