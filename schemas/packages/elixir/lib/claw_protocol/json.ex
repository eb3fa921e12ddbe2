defmodule ClawProtocol.Json do
  @moduledoc """
  Reads and writes JSON without loss.

  An object is a map with strings as keys, null is `nil`. A number is an integer or a float, or a
  `ClawProtocol.Decimal` if neither keeps it. Half of a surrogate pair (`"\\ud83d"`) stays in a string as the three bytes
  that it would have in UTF-8, and is written as it came: such a string is not `String.valid?/1`.

  No atom is made from a text. An object in which a key occurs twice with two values is refused, and so is a value of more
  than 512 levels.
  """

  alias ClawProtocol.{Decimal, LineError}

  @max_depth 512
  # The conversion of an integer takes quadratic time.
  @max_digits 1000
  # A number with more bytes is no float that was written by a program.
  @max_float 40

  @type t ::
          nil
          | boolean()
          | integer()
          | float()
          | Decimal.t()
          | String.t()
          | [t()]
          | %{optional(String.t()) => t()}

  defguardp is_space(byte) when byte in [?\s, ?\t, ?\r, ?\n]
  defguardp is_digit(byte) when byte in ?0..?9

  @doc "Reads one JSON value, and nothing else."
  @spec decode(binary()) :: {:ok, t()} | {:error, LineError.t()}
  def decode(text) do
    if String.valid?(text) do
      {value, rest} = text |> space() |> value(text, [], 0)

      case space(rest) do
        "" -> {:ok, value}
        rest -> no_json(text, rest)
      end
    else
      {:error, LineError.at([], "the line is not UTF-8")}
    end
  catch
    {:mistake, steps, reason} -> {:error, LineError.at(steps, reason)}
  end

  @spec no_json(binary(), binary()) :: no_return()
  defp no_json(text, rest) do
    throw({:mistake, [], "no JSON at byte #{byte_size(text) - byte_size(rest)}"})
  end

  defp space(<<byte, rest::binary>>) when is_space(byte), do: space(rest)
  defp space(rest), do: rest

  defp value(rest, text, _steps, depth) when depth > @max_depth, do: no_json(text, rest)
  defp value(<<?", rest::binary>>, text, _steps, _depth), do: string(rest, text)

  defp value(<<?{, rest::binary>>, text, steps, depth) do
    case space(rest) do
      <<?}, rest::binary>> -> {%{}, rest}
      rest -> members(rest, text, steps, depth, %{})
    end
  end

  defp value(<<?[, rest::binary>>, text, steps, depth) do
    case space(rest) do
      <<?], rest::binary>> -> {[], rest}
      rest -> items(rest, text, steps, depth, 0, [])
    end
  end

  defp value(<<"true", rest::binary>>, _text, _steps, _depth), do: {true, rest}
  defp value(<<"false", rest::binary>>, _text, _steps, _depth), do: {false, rest}
  defp value(<<"null", rest::binary>>, _text, _steps, _depth), do: {nil, rest}

  defp value(rest, text, _steps, _depth) do
    case number(rest) do
      {:integer, length} -> {integer(binary_part(rest, 0, length)), rest(rest, length)}
      {:float, length} -> {float(binary_part(rest, 0, length)), rest(rest, length)}
      :error -> no_json(text, rest)
    end
  end

  defp rest(rest, length), do: binary_part(rest, length, byte_size(rest) - length)

  defp members(<<?", rest::binary>>, text, steps, depth, found) do
    {key, rest} = string(rest, text)
    steps = [key | steps]

    rest =
      case space(rest) do
        <<?:, rest::binary>> -> space(rest)
        rest -> no_json(text, rest)
      end

    {value, rest} = value(rest, text, steps, depth + 1)
    found = Map.put(found, key, once(found, key, value, steps))

    case space(rest) do
      <<?,, rest::binary>> -> rest |> space() |> members(text, tl(steps), depth, found)
      <<?}, rest::binary>> -> {found, rest}
      rest -> no_json(text, rest)
    end
  end

  defp members(rest, text, _steps, _depth, _found), do: no_json(text, rest)

  # Two readers could take different values of a key.
  defp once(found, key, value, steps) do
    case found do
      %{^key => other} ->
        # The texts are compared, because Elixir's 0.0 equals -0.0.
        same? = IO.iodata_to_binary(encode(other)) == IO.iodata_to_binary(encode(value))
        if same?, do: value, else: throw({:mistake, steps, "the key occurs twice"})

      _ ->
        value
    end
  end

  defp items(rest, text, steps, depth, index, found) do
    {value, rest} = value(rest, text, [index | steps], depth + 1)
    found = [value | found]

    case space(rest) do
      <<?,, rest::binary>> -> rest |> space() |> items(text, steps, depth, index + 1, found)
      <<?], rest::binary>> -> {Enum.reverse(found), rest}
      rest -> no_json(text, rest)
    end
  end

  # Most strings have no escape. The string is a copy, so that it does not keep the line in memory.
  defp string(rest, text) do
    length = plain(rest, 0)

    case rest do
      <<plain::binary-size(length), ?", rest::binary>> -> {:binary.copy(plain), rest}
      <<plain::binary-size(length), rest::binary>> -> escaped(rest, text, plain)
    end
  end

  defp plain(<<byte, rest::binary>>, length) when byte >= 0x20 and byte not in [?", ?\\] do
    plain(rest, length + 1)
  end

  defp plain(_rest, length), do: length

  defp escaped(<<?", rest::binary>>, _text, out), do: {out, rest}

  for {letter, char} <- [
        {?", ?"},
        {?\\, ?\\},
        {?/, ?/},
        {?b, ?\b},
        {?f, ?\f},
        {?n, ?\n},
        {?r, ?\r},
        {?t, ?\t}
      ] do
    defp escaped(<<?\\, unquote(letter), rest::binary>>, text, out) do
      escaped(rest, text, <<out::binary, unquote(char)>>)
    end
  end

  defp escaped(<<"\\u", rest::binary>> = all, text, out) do
    with {high, rest} when high in 0xD800..0xDBFF <- unit(rest),
         <<"\\u", after_pair::binary>> <- rest,
         {low, after_pair} when low in 0xDC00..0xDFFF <- unit(after_pair) do
      char = 0x10000 + (high - 0xD800) * 0x400 + (low - 0xDC00)
      escaped(after_pair, text, <<out::binary, char::utf8>>)
    else
      _ -> one_unit(unit(rest), all, text, out)
    end
  end

  defp escaped(<<byte, rest::binary>>, text, out) when byte >= 0x20 and byte != ?\\ do
    escaped(rest, text, <<out::binary, byte>>)
  end

  defp escaped(rest, text, _out), do: no_json(text, rest)

  # Half of a surrogate pair, as the three bytes that it would have in UTF-8.
  defp one_unit({unit, rest}, _all, text, out) when unit in 0xD800..0xDFFF do
    <<high::4, middle::6, low::6>> = <<unit::16>>
    escaped(rest, text, <<out::binary, 0b1110::4, high::4, 0b10::2, middle::6, 0b10::2, low::6>>)
  end

  defp one_unit({unit, rest}, _all, text, out),
    do: escaped(rest, text, <<out::binary, unit::utf8>>)

  defp one_unit(:error, all, text, _out), do: no_json(text, all)

  defp unit(<<digits::binary-size(4), rest::binary>>) do
    case Base.decode16(digits, case: :mixed) do
      {:ok, <<unit::16>>} -> {unit, rest}
      :error -> :error
    end
  end

  defp unit(_rest), do: :error

  # Returns whether a number is an integer or a float, and its bytes.
  defp number(<<?-, rest::binary>>), do: whole(rest, 1)
  defp number(rest), do: whole(rest, 0)

  defp whole(<<?0, rest::binary>>, length), do: fraction(rest, length + 1)

  defp whole(<<byte, rest::binary>>, length) when is_digit(byte) do
    {rest, length} = digits(rest, length + 1)
    fraction(rest, length)
  end

  defp whole(_rest, _length), do: :error

  defp fraction(<<?., byte, rest::binary>>, length) when is_digit(byte) do
    {rest, length} = digits(rest, length + 2)
    exponent(rest, length, :float)
  end

  defp fraction(rest, length), do: exponent(rest, length, :integer)

  defp exponent(<<e, sign, byte, rest::binary>>, length, _kind)
       when e in 'eE' and sign in '+-' and is_digit(byte) do
    {_rest, length} = digits(rest, length + 3)
    {:float, length}
  end

  defp exponent(<<e, byte, rest::binary>>, length, _kind) when e in 'eE' and is_digit(byte) do
    {_rest, length} = digits(rest, length + 2)
    {:float, length}
  end

  defp exponent(_rest, length, kind), do: {kind, length}

  defp digits(<<byte, rest::binary>>, length) when is_digit(byte), do: digits(rest, length + 1)
  defp digits(rest, length), do: {rest, length}

  defp integer("-0"), do: %Decimal{text: "-0"}
  defp integer(text) when byte_size(text) > @max_digits, do: %Decimal{text: :binary.copy(text)}
  defp integer(text), do: String.to_integer(text)

  defp float(text) when byte_size(text) > @max_float, do: %Decimal{text: :binary.copy(text)}

  defp float(text) do
    with {float, ""} <- Float.parse(text),
         true <- exact(Float.to_string(float)) == exact(text) do
      float
    else
      _ -> %Decimal{text: :binary.copy(text)}
    end
  rescue
    # No float is as large.
    ArgumentError -> %Decimal{text: :binary.copy(text)}
  end

  # Returns the sign, the digits without zeros around them, and the power of ten of the last digit.
  defp exact(text) do
    [mantissa | exponent] = String.split(text, ["e", "E"])
    [whole | fraction] = String.split(mantissa, ".")
    fraction = Enum.join(fraction)

    {sign, whole} =
      if String.starts_with?(whole, "-"), do: String.split_at(whole, 1), else: {"", whole}

    digits = String.trim_leading(whole <> fraction, "0")
    stripped = String.trim_trailing(digits, "0")

    exponent =
      exponent |> Enum.map(&(&1 |> String.trim_leading("+") |> String.to_integer())) |> Enum.sum()

    power = exponent - byte_size(fraction) + byte_size(digits) - byte_size(stripped)
    {sign, stripped, if(stripped == "", do: 0, else: power)}
  end

  @doc """
  Returns a value as JSON. The value may have structs of this package in it.

  Raises `ArgumentError` if the value has no JSON: an atom, a tuple, a map whose keys are no strings.
  """
  @spec encode(t() | struct()) :: iodata()
  def encode(nil), do: "null"
  def encode(true), do: "true"
  def encode(false), do: "false"
  def encode(text) when is_binary(text), do: [?", escape(text, text, 0, []), ?"]
  def encode(integer) when is_integer(integer), do: Integer.to_string(integer)
  def encode(float) when is_float(float), do: Float.to_string(float)

  def encode(list) when is_list(list) do
    [?[, list |> Enum.map(&encode/1) |> Enum.intersperse(?,), ?]]
  end

  def encode(%Decimal{text: text}) do
    case is_binary(text) and number(text) do
      {_kind, length} when length == byte_size(text) -> text
      _ -> raise ArgumentError, "#{inspect(text)} is no number of JSON"
    end
  end

  def encode(%_{} = struct), do: ClawProtocol.Types.encode(:json, struct)

  def encode(map) when is_map(map) do
    object(for {key, value} <- map, do: {key, encode(value)})
  end

  def encode(other), do: raise(ArgumentError, "#{inspect(other)} has no JSON")

  @doc false
  # Returns an object. Its values are JSON already.
  @spec object([{String.t(), iodata()}]) :: iodata()
  def object(members) do
    members =
      for {key, value} <- members do
        unless is_binary(key), do: raise(ArgumentError, "#{inspect(key)} is no key of JSON")
        [encode(key), ?:, value]
      end

    [?{, Enum.intersperse(members, ?,), ?}]
  end

  # Returns a text in which the `length` bytes at the beginning of `text` need no escape.
  defp escape(<<byte, rest::binary>>, text, length, out)
       when byte in 0x20..0x7F and byte not in [?", ?\\] do
    escape(rest, text, length + 1, out)
  end

  defp escape(<<char::utf8, rest::binary>>, text, length, out) when char > 0x7F do
    escape(rest, text, length + byte_size(<<char::utf8>>), out)
  end

  defp escape(<<>>, text, _length, []), do: text
  defp escape(<<>>, text, _length, out), do: [out | text]

  defp escape(<<byte, rest::binary>>, text, length, out) when byte in [?", ?\\] do
    escape(rest, rest, 0, [out, binary_part(text, 0, length), ?\\ | <<byte>>])
  end

  defp escape(
         <<0b1110::4, high::4, 0b10::2, middle::6, 0b10::2, low::6, rest::binary>>,
         text,
         length,
         out
       )
       when high == 0xD do
    <<unit::16>> = <<high::4, middle::6, low::6>>
    escape(rest, rest, 0, [out, binary_part(text, 0, length) | hex(unit)])
  end

  defp escape(<<byte, rest::binary>>, text, length, out) when byte < 0x20 do
    escape(rest, rest, 0, [out, binary_part(text, 0, length) | hex(byte)])
  end

  # Other bytes that are not UTF-8.
  defp escape(<<_, rest::binary>>, text, length, out) do
    escape(rest, rest, 0, [out, binary_part(text, 0, length) | "\uFFFD"])
  end

  defp hex(unit), do: "\\u" <> Base.encode16(<<unit::16>>, case: :lower)
end
