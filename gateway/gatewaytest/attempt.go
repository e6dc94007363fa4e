package gatewaytest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"griot/gateway"
	"griot/internal/id"
)

// patience is how long the suite waits for what should come at once. Only a broken driver makes it wait that long.
const patience = 20 * time.Second

// Words of every message and subject: they have no business in errors and logs.
const (
	wordOfText    = "baobab"
	wordOfSubject = "fromager"
)

// message returns a new message, telling by its n from the others of a check.
func (s Subject) message(n int) *gateway.Outbound {
	out := &gateway.Outbound{
		Ref:       id.Message + id.Random(),
		Channel:   s.Channel,
		From:      s.From,
		To:        s.To[n%len(s.To)],
		Text:      fmt.Sprintf("Aïssata, le mot est %s-%d.", wordOfText, n),
		Sensitive: n%2 == 1,
		ExpiresAt: s.Clock.Now().Add(time.Hour),
	}
	if s.Channel == gateway.Email {
		out.Subject = fmt.Sprintf("Été à Ségou : %s-%d", wordOfSubject, n)
		out.HTML = fmt.Sprintf("<p>Aïssata, le mot est <b>%s-%d</b>.</p>", wordOfText, n)
		out.DisplayName = "École du Fleuve"
	}
	return out
}

// An attempt is a Send that came back.
type attempt struct {
	s   Subject
	out *gateway.Outbound
	ack gateway.Ack
	err error
}

// send makes one attempt. Its error says that Send broke a rule that holds whatever the outcome.
func (s Subject) send(ctx context.Context, out *gateway.Outbound) (attempt, error) {
	return s.start(ctx, out)()
}

// start makes an attempt in the background; the function that it returns waits for it.
func (s Subject) start(ctx context.Context, out *gateway.Outbound) (wait func() (attempt, error)) {
	before := copied(out)
	done := make(chan attempt, 1)
	go func() {
		ack, err := s.Sender.Send(ctx, out)
		done <- attempt{s: s, out: out, ack: ack, err: err}
	}()
	return func() (attempt, error) {
		select {
		case a := <-done:
			if !reflect.DeepEqual(*out, before) {
				return a, errors.New("Send changed the message that it was given")
			}
			return a, nil
		case <-time.After(patience):
			return attempt{}, errors.New("Send has not come back")
		}
	}
}

// accepted returns an error unless the message was taken.
func (a attempt) accepted() error {
	if a.err != nil {
		return fmt.Errorf("Send: %w; want it taken", a.err)
	}
	return nil
}

// failed returns an error unless the attempt failed, with one of the classes and by all the rules for errors.
func (a attempt) failed(classes ...gateway.Class) error {
	if a.err == nil {
		return fmt.Errorf("Send returned no error, want one of class %v", classes)
	}
	e, ok := errors.AsType[*gateway.Error](a.err)
	if !ok {
		return fmt.Errorf("Send returned a %T, want a *gateway.Error: %w", a.err, a.err)
	}
	if !slices.Contains(classes, e.Class) {
		return fmt.Errorf("Send failed with class %q, want one of %v: %w", e.Class, classes, e)
	}
	if !regexp.MustCompile(`\A[a-z][a-z0-9]*(_[a-z0-9]+)*\z`).MatchString(e.Code) {
		return fmt.Errorf("Send failed with code %q, want one in snake_case", e.Code)
	}
	if e.RetryAfter < 0 {
		return fmt.Errorf("Send failed with RetryAfter %v, want none or more", e.RetryAfter)
	}
	if word := a.s.telling(a.err.Error() + e.Code + e.ProviderCode); word != "" {
		return fmt.Errorf("the error repeats %q, and it would be logged", word)
	}
	return nil
}

// telling returns what of a message, its recipient or the credentials shows in text, or "".
func (s Subject) telling(text string) string {
	text = strings.ToLower(text)
	for _, word := range slices.Concat([]string{wordOfText, wordOfSubject}, s.To, s.Secrets) {
		if strings.Contains(text, strings.ToLower(word)) {
			return word
		}
	}
	return ""
}
