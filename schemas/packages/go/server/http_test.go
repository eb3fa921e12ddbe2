package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// client returns a client of a server that gives one response.
func client(t *testing.T, status int, body string, check func(*http.Request)) *Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		check(r)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return NewClient(server.URL+"/", "secret")
}

func TestEventsAreReadAsTheSpecificationSays(t *testing.T) {
	text := ": a comment\r\n\r\nid: 7\r\nevent: closed\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n" +
		"event: later\ndata:2\n\nevent: closed\ndata: no JSON\n\nid: 8\nevent: closed\ndata: {}\n\nevent: closed\ndata: {}\n"
	events, err := client(t, 200, text, func(*http.Request) {}).WatchSession(context.Background(), "a", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	event, err := events.Next()
	if closed, ok := event.(*SessionEventClosed); !ok || err != nil || string(closed.Data["a"]) != "1" || *closed.ID != "7" {
		t.Errorf("%v, %v", event, err)
	}
	event, err = events.Next()
	if unknown, ok := event.(*Unknown); !ok || err != nil || string(unknown.Raw) != `{"event":"later","id":"7","data":2}` {
		t.Errorf("%v, %v", event, err)
	}
	var wrong *LineError
	if event, err = events.Next(); !errors.As(err, &wrong) {
		t.Errorf("%v, %v", event, err)
	}
	if event, err = events.Next(); err != nil || events.LastID() != "8" {
		t.Errorf("%v, %v", event, err)
	}
	// What has no blank line after it is no event.
	if event, err = events.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("%v, %v", event, err)
	}
}

func TestARequestHasItsParameters(t *testing.T) {
	check := func(r *http.Request) {
		if r.URL.EscapedPath() != "/api/sessions/a%2Fb%20c" || r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("%s, %v", r.URL, r.Header)
		}
	}
	_, err := client(t, 502, "a proxy's page", check).ReadSession(context.Background(), "a/b c")
	var refused *ResponseError
	if !errors.As(err, &refused) || refused.Status != 502 || refused.Info != nil {
		t.Error(err)
	}
	check = func(r *http.Request) {
		if r.URL.RequestURI() != "/api/sessions?archived=false&limit=1" || r.Header.Get("Accept") != "application/json" {
			t.Errorf("%s, %v", r.URL, r.Header)
		}
	}
	options := &ListSessionsOptions{Archived: Ptr(false), Limit: Ptr(int64(1))}
	var wrong *LineError
	if _, err = client(t, 200, `{"sessions":7}`, check).ListSessions(context.Background(), options); !errors.As(err, &wrong) || wrong.Path != "sessions" {
		t.Error(err)
	}
	open := func(r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("the token was sent without need")
		}
	}
	if _, err = client(t, 200, `{"status":"ok"}`, open).Health(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestTheMessagesOfAWebSocketAreTyped(t *testing.T) {
	address := NewClient("https://a", "secret").ConnectSession("b", &ConnectSessionOptions{XClawViewer: Ptr("Go")})
	if address.URL != "wss://a/api/sessions/b/socket" || address.Header.Get("X-Claw-Viewer") != "Go" {
		t.Error(address)
	}
	text, err := (&SocketRequestInterrupt{}).MarshalJSON()
	if string(text) != `{"type":"interrupt"}` || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	message, err := ReadSocketMessage([]byte(`{"type":"turn_interrupted","conversationId":"b","duringToolUse":true}`))
	if _, ok := message.(*TurnInterrupted); !ok || err != nil {
		t.Errorf("%v, %v", message, err)
	}
}
