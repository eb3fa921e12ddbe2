// Package server is a client of `claw serve`: a method of [Client] for each request that the server takes, the types of
// what goes in and comes out, and a reader of its events. Unknown fields, events and kinds are kept, as in the package
// claw.
package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// MaxBody is the number of bytes that a response or an event may have.
const MaxBody = 64 << 20

// Client makes the requests of a program that has the token. Several goroutines may use it.
type Client struct {
	// HTTP makes the requests. Its timeout would end streams of events: use contexts.
	HTTP   *http.Client
	origin string
	token  string
}

// NewClient returns a client of the server with this origin, such as http://127.0.0.1:8787, and this token.
func NewClient(origin, token string) *Client {
	return &Client{HTTP: &http.Client{}, origin: strings.TrimSuffix(origin, "/"), token: token}
}

// A ResponseError is a response that is an error.
type ResponseError struct {
	// Status is the status of HTTP.
	Status int
	// Info says what is wrong. It is nil if the response is not from the server, but from a proxy before it.
	Info *ErrorInfo
}

func (e *ResponseError) Error() string {
	if e.Info == nil {
		return fmt.Sprintf("claw: status %d", e.Status)
	}
	return fmt.Sprintf("claw: status %d: %s", e.Status, e.Info.Message)
}

// A SocketAddress is what a library for WebSockets needs to connect.
type SocketAddress struct {
	URL    string
	Header http.Header
}

type call struct {
	method, path, accept string
	query                url.Values
	header               http.Header
	open                 bool
	body                 any
}

func put[T any](set func(key, value string), key string, value *T) {
	if value != nil {
		set(key, fmt.Sprint(*value))
	}
}

func (c *Client) url(r call) string {
	if len(r.query) == 0 {
		return c.origin + r.path
	}
	return c.origin + r.path + "?" + r.query.Encode()
}

// send returns a response that is no error. The caller closes its body.
func (c *Client) send(ctx context.Context, r call) (*http.Response, error) {
	var body io.Reader
	if r.body != nil {
		text, err := write(nil, reflect.ValueOf(r.body))
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
		r.header.Set("Content-Type", "application/json")
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, c.url(r), body)
	if err != nil {
		return nil, err
	}
	sent.Header = r.header
	if r.accept == "" {
		r.accept = "application/json"
	}
	sent.Header.Set("Accept", r.accept)
	if !r.open {
		sent.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.HTTP.Do(sent)
	if err != nil || response.StatusCode < 300 {
		return response, err
	}
	defer response.Body.Close()
	refused := &ResponseError{Status: response.StatusCode}
	var found ErrorBody
	if text, err := readAll(response); err == nil && unmarshal(text, &found) == nil {
		refused.Info = &found.Error
	}
	return nil, refused
}

func readAll(response *http.Response) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(response.Body, MaxBody+1))
	if err == nil && len(text) > MaxBody {
		err = fmt.Errorf("claw: a response of more than %d bytes", MaxBody)
	}
	return text, err
}

func (c *Client) bytes(ctx context.Context, r call) ([]byte, error) {
	response, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return readAll(response)
}

func (c *Client) nothing(ctx context.Context, r call) error {
	_, err := c.bytes(ctx, r)
	return err
}

func (c *Client) text(ctx context.Context, r call) (string, error) {
	text, err := c.bytes(ctx, r)
	return string(text), err
}

func result[T any](ctx context.Context, c *Client, r call, mayBeAbsent bool) (value T, err error) {
	text, err := c.bytes(ctx, r)
	if err != nil || (mayBeAbsent && len(text) == 0) {
		return value, err
	}
	return value, unmarshal(text, &value)
}

func (c *Client) socket(r call) *SocketAddress {
	r.header.Set("Authorization", "Bearer "+c.token)
	return &SocketAddress{URL: "ws" + strings.TrimPrefix(c.url(r), "http"), Header: r.header}
}

// An EventStream reads events while the server sends them. One goroutine may use it at a time.
type EventStream[T any] struct {
	body   io.ReadCloser
	reader *bufio.Reader
	lastID string
}

func events[T any](ctx context.Context, c *Client, r call) (*EventStream[T], error) {
	r.accept = "text/event-stream"
	response, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	return &EventStream[T]{body: response.Body, reader: bufio.NewReader(response.Body)}, nil
}

// LastID returns the ID of the last event. A later call that has it resumes after this event.
func (s *EventStream[T]) LastID() string { return s.lastID }

// Close ends the stream.
func (s *EventStream[T]) Close() error { return s.body.Close() }

// Next waits for the next event. The error is io.EOF at the end of the stream, and a [*LineError] for an event that
// cannot be read; the event after it can be read then.
func (s *EventStream[T]) Next() (event T, err error) {
	var name, data []byte
	hasData, id := false, s.lastID
	for size := 0; ; {
		line, err := s.line(MaxBody - size)
		if err != nil {
			return event, err
		}
		size += len(line)
		key, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0 && !hasData:
			name, size = nil, 0
		case len(line) == 0:
			text := appendString([]byte(`{"event":`), string(name))
			text = appendString(append(text, `,"id":`...), id)
			text = append(append(append(text, `,"data":`...), data...), '}')
			s.lastID = id
			return event, unmarshal(text, &event)
		case string(key) == "id":
			id = string(value)
		case string(key) == "event":
			name = value
		case string(key) == "data":
			if hasData {
				data = append(data, '\n')
			}
			data, hasData = append(data, value...), true
		}
	}
}

// line returns the next line without its end.
func (s *EventStream[T]) line(most int) ([]byte, error) {
	var line []byte
	for {
		piece, err := s.reader.ReadSlice('\n')
		if line = append(line, piece...); len(line) > most {
			return nil, fmt.Errorf("claw: an event of more than %d bytes", MaxBody)
		}
		switch {
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			// What has no blank line after it is no event.
			return nil, io.EOF
		default:
			return nil, err
		}
	}
}

var _ json.Marshaler = (*Unknown)(nil)
