defmodule ClawServer.ResponseError do
  @moduledoc """
  A request that the server refused, or that got no response.

    * `:status` - the status of HTTP, or `nil` if there is no response.
    * `:info` - what is wrong, a `ClawServer.ErrorInfo`. `nil` if there is no response, or if it is not from the server, but
      from a proxy before it.
    * `:reason` - why there is no response, as `:httpc` says it.
  """

  defexception [:status, :info, :reason]

  @type t :: %__MODULE__{
          status: pos_integer() | nil,
          info: ClawServer.ErrorInfo.t() | nil,
          reason: term()
        }

  @impl true
  def message(%__MODULE__{status: nil, reason: reason}), do: "no response: #{inspect(reason)}"
  def message(%__MODULE__{status: status, info: nil}), do: "status #{status}"
  def message(%__MODULE__{status: status, info: info}), do: "status #{status}: #{info.message}"
end
