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

	"example.com/griot/gateway"
	"example.com/griot/internal/id"
	"example.com/griot/internal/waittest"
)

// Words in every message and subject, which must not appear in errors and logs.
const (
	textWord    = "baobab"
	subjectWord = "fromager"
)

// message returns a new message; n distinguishes the messages of a check.
func (s Subject) message(n int) *gateway.Outbound {
	out := &gateway.Outbound{
		Ref:       id.Message + id.Random(),
		Channel:   s.Channel,
		From:      s.From,
		To:        s.To[n%len(s.To)],
		Text:      fmt.Sprintf("Aïssata, le mot est %s-%d.", textWord, n),
		Sensitive: n%2 == 1,
		ExpiresAt: s.Clock.Now().Add(time.Hour),
	}
	if s.Channel == gateway.Email {
		out.Subject = fmt.Sprintf("Été à Ségou : %s-%d", subjectWord, n)
		out.HTML = fmt.Sprintf("<p>Aïssata, le mot est <b>%s-%d</b>.</p>", textWord, n)
		out.DisplayName = "École du Fleuve"
	}
	return out
}

// attempt is a Send that has returned.
type attempt struct {
	s   Subject
	out *gateway.Outbound
	ack gateway.Ack
	err error
}

// send makes one attempt. It returns an error if Send broke a rule that applies to every outcome.
func (s Subject) send(ctx context.Context, out *gateway.Outbound) (attempt, error) {
	return s.start(ctx, out)()
}

// start makes an attempt in the background; the function that it returns waits for it.
func (s Subject) start(ctx context.Context, out *gateway.Outbound) (wait func() (attempt, error)) {
	before := cloned(out)
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
		case <-time.After(waittest.Limit):
			return attempt{}, errors.New("Send has not come back")
		}
	}
}

// accepted returns an error unless the attempt succeeded.
func (a attempt) accepted() error {
	if a.err != nil {
		return fmt.Errorf("Send: %w; want it accepted", a.err)
	}
	return nil
}

// failed returns an error unless the attempt failed with one of the classes and its error follows the rules for errors.
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
	if word := a.s.leakedWord(a.err.Error() + e.Code + e.ProviderCode); word != "" {
		return fmt.Errorf("the error repeats %q, and it would be logged", word)
	}
	return nil
}

// leakedWord returns a word of a message, a recipient, or a credential that text contains, or "".
func (s Subject) leakedWord(text string) string {
	text = strings.ToLower(text)
	for _, word := range slices.Concat([]string{textWord, subjectWord}, s.To, s.Secrets) {
		if strings.Contains(text, strings.ToLower(word)) {
			return word
		}
	}
	return ""
}
