while read -r line; do
  id=$(printf %s "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"asking","version":"1"}}';;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"ask","description":"Asks.","inputSchema":{"type":"object"}}]}';;
    *'"method":"tools/call"'*)
      call=$id
      printf '%s\n' '{"jsonrpc":"2.0","id":900,"method":"elicitation/create","params":{"message":"Which name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string","description":"A name"}},"required":["name"]}}}'
      continue;;
    *'"action"'*)
      id=$call
      action=$(printf %s "$line" | sed -n 's/.*"action":"\([a-z]*\)".*/\1/p')
      name=$(printf %s "$line" | sed -n 's/.*"name":"\([A-Za-z]*\)".*/\1/p')
      result="{\"content\":[{\"type\":\"text\",\"text\":\"$action:$name\"}]}";;
    *) result='{}';;
  esac
  [ -n "$id" ] && printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
