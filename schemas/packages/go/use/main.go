// The program use opens a session on a server, and answers its requests. `cargo xtask packages go` runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/claw-rs/claw-protocol-go/server"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := use(ctx, server.NewClient(os.Getenv("CLAW_ORIGIN"), os.Getenv("CLAW_TOKEN"))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func use(ctx context.Context, client *server.Client) error {
	_, err := server.NewClient(os.Getenv("CLAW_ORIGIN"), "wrong").ListProjects(ctx)
	var refused *server.ResponseError
	if !errors.As(err, &refused) || refused.Status != 401 || refused.Info == nil {
		return fmt.Errorf("a wrong token: %w", err)
	}
	if health, err := client.Health(ctx); err != nil || health.Status != server.HealthStatusOk {
		return fmt.Errorf("the server's health: %w", err)
	}
	projects, err := client.ListProjects(ctx)
	if err != nil {
		return err
	}
	session, err := client.OpenSession(ctx, &server.NewSession{Project: &projects[0].Name})
	if err != nil {
		return err
	}
	id := session.ID
	// A text that needs to be escaped in a path.
	if _, err := client.ReadSession(ctx, "no/such session"); !errors.As(err, &refused) || refused.Info == nil {
		return fmt.Errorf("a session that does not exist: %w", err)
	}
	if _, err := client.SendPrompt(ctx, id, &server.NewPrompt{Text: "How many \u00e4pples?"}); err != nil {
		return err
	}
	events, err := client.WatchSession(ctx, id, nil)
	if err != nil {
		return err
	}
	defer func() { events.Close() }()
	count, answers, ran, first := 0, 0, false, ""
	for done := false; !done; {
		event, err := events.Next()
		if err != nil {
			return err
		}
		count++
		var waiting []server.Pending
		switch event := event.(type) {
		case *server.SessionEventReset:
			waiting, ran = event.Data.Requests, ran || event.Data.State.Phase != server.PhaseIdle
			first = events.LastID()
		case *server.SessionEventRequest:
			waiting = []server.Pending{event.Data}
		case *server.SessionEventState:
			ran = ran || event.Data.Phase == server.PhaseRunning
			done = ran && event.Data.Phase == server.PhaseIdle
		case *server.Unknown:
			return fmt.Errorf("an unknown event: %s", event.Raw)
		}
		for _, request := range waiting {
			answer := &server.Answer{Decision: server.DecisionAllow}
			if _, err := client.AnswerRequest(ctx, id, request.ID, answer, nil); err != nil {
				return err
			}
			answers++
		}
	}
	// The events after the first one come again, and the stream ends when the session is closed.
	resumed, err := client.WatchSession(ctx, id, &server.WatchSessionOptions{LastEventID: &first})
	if err != nil {
		return err
	}
	defer resumed.Close()
	said := ""
	elements, err := client.ReadElements(ctx, id)
	if err != nil {
		return err
	}
	for _, element := range elements {
		if text, ok := element.Content.(*server.AssistantText); ok {
			said += text.Text
		}
	}
	page, err := client.ListSessions(ctx, &server.ListSessionsOptions{Project: &projects[0].Name, Limit: server.Ptr(int64(10))})
	if err != nil {
		return err
	}
	if _, err := client.SearchSessions(ctx, "\u00e4pples & pears"); err != nil {
		return err
	}
	if _, err := client.ReadUsage(ctx, &server.ReadUsageOptions{By: server.Ptr(server.UsageByModel)}); err != nil {
		return err
	}
	if table, err := client.ReadUsageCsv(ctx, nil); err != nil || table == "" {
		return fmt.Errorf("usage as a table: %w", err)
	}
	if err := client.CloseSession(ctx, id); err != nil {
		return err
	}
	again, closed := 0, false
	for {
		event, err := resumed.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		again++
		if _, ok := event.(*server.SessionEventReset); ok {
			return errors.New("the stream was not resumed")
		}
		_, closed = event.(*server.SessionEventClosed)
	}
	if !closed || again < count-1 || len(page.Sessions) == 0 {
		return fmt.Errorf("%d events, then %d, closed %t, %d sessions", count, again, closed, len(page.Sessions))
	}
	fmt.Printf("%d events, %d resumed, %d request answered, %q\n", count, again, answers, said)
	return nil
}
