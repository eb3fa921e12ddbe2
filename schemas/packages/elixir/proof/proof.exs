# Reads the lines of a direction and writes what the package made of each. `cargo xtask packages elixir` runs it.

defmodule Proof do
  alias ClawProtocol.{ControlRequest, LineError, Unknown}

  def output({:error, %LineError{} = error}) do
    ["error\t", error.path, ?\t, String.replace(error.reason, ["\t", "\n"], " "), ?\n]
  end

  def output({:ok, %Unknown{} = message}), do: ["unknown\t", ClawProtocol.to_line(message)]

  def output({:ok, message}) do
    count = message |> unknown() |> Integer.to_string()
    ["read\t", kind(message), ?\t, count, ?\t, ClawProtocol.to_line(message)]
  end

  defp kind(%ControlRequest{request: %Unknown{}} = message), do: name(message)
  defp kind(%ControlRequest{} = message), do: [name(message), ?/, name(message.request)]
  defp kind(message), do: name(message)

  defp name(%module{}), do: module |> Module.split() |> List.last()

  defp unknown(%Unknown{}), do: 1
  defp unknown(%_{} = record), do: record |> Map.from_struct() |> Map.delete(:extra) |> unknown()
  defp unknown(list) when is_list(list), do: list |> Enum.map(&unknown/1) |> Enum.sum()
  defp unknown(map) when is_map(map), do: map |> Map.values() |> unknown()
  defp unknown(_other), do: 0
end

direction = %{"stdout" => :stdout, "stdin" => :stdin, "transcript" => :transcript}
[name] = System.argv()
:ok = :io.setopts(:standard_io, encoding: :latin1)

File.stream!("/dev/stdin", [], 65_536)
|> ClawProtocol.stream(Map.fetch!(direction, name))
|> Stream.map(&Proof.output/1)
|> Stream.chunk_every(100)
|> Enum.each(&IO.binwrite/1)
