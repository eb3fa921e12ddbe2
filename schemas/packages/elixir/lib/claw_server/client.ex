defmodule ClawServer.Client do
  @moduledoc """
  A server, and how to reach it. The functions of `ClawServer` take it.

    * `:origin` - the origin of the server, such as `http://127.0.0.1:8787`.
    * `:token` - the token for programs.
    * `:http` - options for requests that `:httpc` takes, such as `[timeout: 10_000]`. A timeout also ends a stream of
      events. By default the certificate of an origin with `https` is verified.
  """

  @enforce_keys [:origin, :token]
  # A client that is inspected shows no token.
  @derive {Inspect, except: [:token]}
  defstruct [:origin, :token, http: []]

  @type t :: %__MODULE__{origin: String.t(), token: String.t(), http: keyword()}
end
