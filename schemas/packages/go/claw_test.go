package claw

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

func line(t *testing.T, message any) string {
	t.Helper()
	var out bytes.Buffer
	if err := WriteLine(&out, message); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func expect(t *testing.T, found, expected string) {
	t.Helper()
	if found != expected {
		t.Errorf("found    %s\nexpected %s", found, expected)
	}
}

func TestWhatAHostWrites(t *testing.T) {
	expect(t, line(t, NewPrompt("hi")), `{"type":"user","message":{"content":"hi","role":"user"}}`+"\n")
	expect(t, line(t, NewPromptOf(ContentList{&TextBlock{Text: "hi"}})),
		`{"type":"user","message":{"content":[{"type":"text","text":"hi"}],"role":"user"}}`+"\n")
	expect(t, line(t, NewRequest("1", &Initialize{SDKMCPServers: []string{"a"}})),
		`{"type":"control_request","request":{"subtype":"initialize","sdkMcpServers":["a"]},"request_id":"1"}`+"\n")
	answer, err := NewAnswer("1", NewAllow(&CanUseTool{Input: json.RawMessage(`{"a":1.0}`)}))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, line(t, answer),
		`{"type":"control_response","response":{"subtype":"success","request_id":"1","response":{"behavior":"allow","updatedInput":{"a":1.0}}}}`+"\n")
	if answer, err = NewAnswer("1", NewDeny("no")); err != nil {
		t.Fatal(err)
	}
	expect(t, line(t, answer),
		`{"type":"control_response","response":{"subtype":"success","request_id":"1","response":{"behavior":"deny","message":"no"}}}`+"\n")
	expect(t, line(t, NewRefusal("1", "no")),
		`{"type":"control_response","response":{"subtype":"error","error":"no","request_id":"1"}}`+"\n")
	expect(t, line(t, NewCancel("1")), `{"type":"control_cancel_request","request_id":"1"}`+"\n")
	if err := WriteLine(io.Discard, &UserPrompt{}); err == nil {
		t.Error("a prompt without content was written")
	}
}

func TestAResponseHasTheTypeOfItsRequest(t *testing.T) {
	response, err := new(SetPermissionMode).ReadResponse(json.RawMessage(`{"mode":"plan","a":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(response)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, string(text), `{"mode":"plan","a":[]}`)
	result, err := new(CanUseTool).ReadResponse(json.RawMessage(`{"behavior":"deny","message":"no"}`))
	if denied, ok := result.(*PermissionDeny); err != nil || !ok || denied.Message != "no" {
		t.Error(result, err)
	}
	if none, err := new(Interrupt).ReadResponse(nil); none != nil || err != nil {
		t.Error(none, err)
	}
}

func TestAReaderContinuesAfterABadLine(t *testing.T) {
	reader := NewStdoutReader(strings.NewReader("\nno\r\n{\"type\":\"keep_alive\"}\r\n\n{\"type\":\"a\"}"))
	_, err := reader.Next()
	var wrong *LineError
	if !errors.As(err, &wrong) || wrong.Line != 2 {
		t.Error(err)
	}
	if message, err := reader.Next(); err != nil {
		t.Error(err)
	} else if _, ok := message.(*KeepAlive); !ok {
		t.Error(message)
	}
	if message, err := reader.Next(); err != nil {
		t.Error(err)
	} else if unknown, ok := message.(*Unknown); !ok || string(unknown.Raw) != `{"type":"a"}` {
		t.Error(message)
	}
	if _, err := reader.Next(); err != io.EOF {
		t.Error(err)
	}
}

func TestALongLineIsPassed(t *testing.T) {
	long := strings.NewReader(strings.Repeat("x", MaxLine+1) + "\n{\"type\":\"keep_alive\"}\n")
	reader := NewStdoutReader(long)
	var wrong *LineError
	if _, err := reader.Next(); !errors.As(err, &wrong) {
		t.Error(err)
	}
	if _, err := reader.Next(); err != nil {
		t.Error(err)
	}
}

func TestAbsentAndNullAreKeptApart(t *testing.T) {
	for _, text := range []string{`{}`, `{"askForTools":null}`, `{"askForTools":[]}`, `{"askForTools":["a"]}`} {
		var value struct {
			AskForTools Nullable[[]string] `json:"askForTools,omitempty"`
			Extra       Extra              `json:"-"`
		}
		if err := unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		out, err := marshal(&value)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, string(out), text)
		isAbsent, isNull := text == `{}`, strings.Contains(text, "null")
		_, ok := value.AskForTools.Get()
		if value.AskForTools.IsAbsent() != isAbsent || value.AskForTools.IsNull() != isNull || ok == (isAbsent || isNull) {
			t.Error(text)
		}
	}
	if !Null[string]().IsNull() || Some("").IsAbsent() || !(Nullable[string]{}).IsAbsent() {
		t.Error("the states of a Nullable")
	}
}

func TestAKeyMayOccurTwiceWithOneValue(t *testing.T) {
	message, err := ReadStdout([]byte(`{"type":"keep_alive","type":"keep_alive","a":[1],"a":[1]}`))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, line(t, message), `{"type":"keep_alive","a":[1]}`+"\n")
	if _, err := ReadStdout([]byte(`{"type":"keep_alive","a":1,"a":1.0}`)); err == nil {
		t.Error("two values were read")
	}
}

func TestGoesThroughEncodingJSON(t *testing.T) {
	text := `{"type":"assistant","message":{"content":[{"type":"text","text":"\ud83d"},{"type":"new"}],"id":"m","model":"m",` +
		`"role":"assistant","type":"message","usage":{"input_tokens":1,"output_tokens":1},"stop_reason":null,` +
		`"stop_sequence":null},"parent_tool_use_id":null,"session_id":"s","uuid":"u"}`
	var message AssistantMessage
	if err := json.Unmarshal([]byte(text), &message); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(out, []byte(`"\ud83d"`)) || !bytes.Contains(out, []byte(`{"type":"new"}`)) {
		t.Error(string(out))
	}
	var other UserMessage
	if err := json.Unmarshal([]byte(text), &other); err == nil || !strings.Contains(err.Error(), "type: not") {
		t.Error(err)
	}
}
