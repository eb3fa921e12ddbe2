defmodule ClawServer.Http do
  @moduledoc false
  # Makes requests with the client of Erlang's standard library.

  alias ClawProtocol.{Json, LineError, Types}
  alias ClawServer.{Client, ErrorBody, Events, ResponseError}

  # A request may be queued on a connection that has another one. So streams, which do not end, have a profile of their
  # own, and a connection each.
  @streams :claw_server_streams

  @doc "Returns a path of texts and of parameters, which are escaped."
  def path(parts) do
    Enum.map_join(parts, fn
      {:parameter, text} -> URI.encode(text, &URI.char_unreserved?/1)
      text -> text
    end)
  end

  @doc "Returns the parameters that are there, as texts."
  def parameters(values) do
    for {key, type, value} <- values, value != nil, do: {key, text(type, value)}
  end

  defp text({:enumeration, module}, value), do: module.to_text(value)
  defp text(:string, value) when is_binary(value), do: value
  defp text(:boolean, value) when is_boolean(value), do: to_string(value)
  defp text(:integer, value) when is_integer(value), do: to_string(value)

  defp text(type, value) do
    raise ArgumentError, "#{inspect(value)} is no #{inspect(type)}"
  end

  @doc "Returns the address and the headers of a WebSocket."
  def socket(%Client{} = client, call) do
    "http" <> rest = client.origin
    {"ws" <> rest <> target(call), [authorization(client) | call.headers]}
  end

  @doc "Returns the result of a request: of a type, `:text` or `:nothing`."
  def result(%Client{} = client, call, type) do
    with {:ok, ref} <- start(client, call, []) do
      receive do
        {:http, {^ref, {{_, status, _}, _headers, body}}} when status < 300 -> read(type, body)
        {:http, {^ref, other}} -> {:error, error(other)}
      end
    end
  end

  defp read(:nothing, _body), do: :ok
  defp read(:text, body), do: {:ok, body}
  defp read({:maybe, _type}, ""), do: {:ok, nil}
  defp read({:maybe, type}, body), do: read(type, body)

  defp read(type, body) do
    with {:ok, json} <- Json.decode(body), do: Types.read(type, json)
  end

  @doc "Returns a stream of events: `{:ok, event}`, or `{:error, error}`."
  def events(%Client{} = client, call, type) do
    own = [{"accept", "text/event-stream"}, {"connection", "close"}]
    call = %{call | headers: own ++ call.headers}

    # The next piece is only taken when it is asked for.
    with {:ok, ref} <- start(client, call, [stream: {:self, :once}], @streams) do
      receive do
        {:http, {^ref, :stream_start, _headers, handler}} ->
          {:ok, stream(ref, handler, %Events{type: type})}

        {:http, {^ref, other}} ->
          {:error, error(other)}
      end
    end
  end

  defp stream(ref, handler, events) do
    Stream.resource(
      fn -> events end,
      fn
        :ended -> {:halt, :ended}
        events -> next(ref, handler, events)
      end,
      fn _events -> cancel(ref) end
    )
  end

  defp next(ref, handler, events) do
    :httpc.stream_next(handler)

    receive do
      {:http, {^ref, :stream, piece}} ->
        {found, events} = Events.push(events, piece)

        if Events.too_long?(events) do
          {found ++ [{:error, %LineError{reason: "the event is too long"}}], :ended}
        else
          {found, events}
        end

      {:http, {^ref, :stream_end, _headers}} ->
        {:halt, events}

      {:http, {^ref, other}} ->
        {[{:error, error(other)}], :ended}
    end
  end

  defp cancel(ref) do
    :httpc.cancel_request(ref, @streams)

    receive do
      {:http, message} when elem(message, 0) == ref -> :ok
    after
      0 -> :ok
    end
  end

  # Sends a request. Its messages come to this process.
  defp start(client, call, options, profile \\ :default) do
    {:ok, _} = Application.ensure_all_started(:ssl)
    {:ok, _} = Application.ensure_all_started(:inets)
    _ = profile == @streams and :inets.start(:httpc, profile: @streams)
    url = String.to_charlist(client.origin <> target(call))

    accept =
      if List.keymember?(call.headers, "accept", 0),
        do: [],
        else: [{"accept", "application/json"}]

    token = if call.open, do: [], else: [authorization(client)]

    headers =
      for {key, value} <- token ++ accept ++ call.headers do
        {String.to_charlist(key), String.to_charlist(value)}
      end

    request =
      case call.body do
        nil when call.method == :get -> {url, headers}
        nil -> {url, headers, ~c"application/json", ""}
        body -> {url, headers, ~c"application/json", IO.iodata_to_binary(body)}
      end

    http =
      Keyword.merge([autoredirect: false, connect_timeout: 10_000] ++ tls(client), client.http)

    options = [sync: false, body_format: :binary] ++ options

    case :httpc.request(call.method, request, http, options, profile) do
      {:ok, ref} -> {:ok, ref}
      {:error, reason} -> {:error, %ResponseError{reason: reason}}
    end
  end

  defp tls(%Client{origin: "https" <> _}) do
    match = :public_key.pkix_verify_hostname_match_fun(:https)
    certificates = :public_key.cacerts_get()

    [
      ssl: [
        verify: :verify_peer,
        cacerts: certificates,
        customize_hostname_check: [match_fun: match]
      ]
    ]
  end

  defp tls(_client), do: []

  defp authorization(client), do: {"authorization", "Bearer " <> client.token}

  defp target(%{query: []} = call), do: call.path
  defp target(call), do: call.path <> "?" <> URI.encode_query(call.query, :rfc3986)

  defp error({{_, status, _}, _headers, body}) do
    with {:ok, json} <- Json.decode(body),
         {:ok, %{error: info}} <- ErrorBody.read(json) do
      %ResponseError{status: status, info: info}
    else
      _ -> %ResponseError{status: status}
    end
  end

  defp error({:error, reason}), do: %ResponseError{reason: reason}
end
