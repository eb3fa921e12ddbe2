# Opens a session on a server, and answers its requests. `cargo xtask packages elixir` runs it.
alias ClawProtocol.Unknown
alias ClawServer.{Answer, AssistantText, Client, NewPrompt, NewSession, ResponseError}

alias ClawServer.{
  SessionEventClosed,
  SessionEventRequest,
  SessionEventReset,
  SessionEventState,
  SocketRequestInterrupt,
  TurnInterrupted
}

{:ok, _} = :timer.exit_after(60_000, :late)
client = %Client{origin: System.fetch_env!("CLAW_ORIGIN"), token: System.fetch_env!("CLAW_TOKEN")}

{:error, %ResponseError{status: 401, info: %{}}} =
  ClawServer.list_projects(%{client | token: "wrong"})

{:ok, %{status: :ok}} = ClawServer.health(client)
{:ok, [%{name: project} | _]} = ClawServer.list_projects(client)
{:ok, %{id: id}} = ClawServer.open_session(client, %NewSession{project: project})
# A text that needs to be escaped in a path.
{:error, %ResponseError{status: 404, info: %{}}} =
  ClawServer.read_session(client, "no/such session")

{:ok, _sent} = ClawServer.send_prompt(client, id, %NewPrompt{text: "How many \u00e4pples?"})

answer = fn requests ->
  for %{id: request} <- requests do
    {:ok, _} = ClawServer.answer_request(client, id, request, %Answer{decision: :allow})
  end

  length(requests)
end

{:ok, events} = ClawServer.watch_session(client, id)

{count, answers, _ran, first} =
  Enum.reduce_while(events, {0, 0, false, nil}, fn {:ok, event}, {count, answers, ran, first} ->
    case event do
      %SessionEventReset{data: data} ->
        ran = ran or data.state.phase != :idle
        {:cont, {count + 1, answers + answer.(data.requests), ran, event.id}}

      %SessionEventRequest{data: request} ->
        {:cont, {count + 1, answers + answer.([request]), ran, first}}

      %SessionEventState{data: %{phase: :idle}} when ran ->
        {:halt, {count + 1, answers, ran, first}}

      %SessionEventState{data: %{phase: phase}} ->
        {:cont, {count + 1, answers, ran or phase == :running, first}}

      %Unknown{json: json} ->
        raise "an unknown event: #{inspect(json)}"

      _other ->
        {:cont, {count + 1, answers, ran, first}}
    end
  end)

{:ok, elements} = ClawServer.read_elements(client, id)
said = for %{content: %AssistantText{text: text}} <- elements, into: "", do: text
{:ok, %{sessions: [_ | _]}} = ClawServer.list_sessions(client, project: project, limit: 10)
{:ok, _hits} = ClawServer.search_sessions(client, "\u00e4pples & pears")
{:ok, %{}} = ClawServer.read_usage(client, by: :model)
{:ok, <<_, _::binary>>} = ClawServer.read_usage_csv(client)

{"ws" <> _, [{"authorization", _}, {"x-claw-viewer", "Elixir"}]} =
  ClawServer.connect_session(client, id, x_claw_viewer: "Elixir")

~s({"type":"interrupt"}) = ClawServer.write_message(%SocketRequestInterrupt{})

{:ok, %TurnInterrupted{}} =
  ClawServer.read_message(
    ~s({"type":"turn_interrupted","conversationId":"#{id}","duringToolUse":true})
  )

# The events after the first one come again, and the stream ends when the session is closed.
{:ok, resumed} = ClawServer.watch_session(client, id, last_event_id: first)
:ok = ClawServer.close_session(client, id)
again = Enum.map(resumed, fn {:ok, event} -> event end)
false = Enum.any?(again, &is_struct(&1, SessionEventReset))
%SessionEventClosed{} = List.last(again)
true = length(again) >= count - 1

IO.puts(
  "#{count} events, #{length(again)} resumed, #{answers} request answered, #{inspect(said)}"
)
