package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"
)

// turn is one figure of two programs, measured alternately.
type turn struct {
	Name     string     `json:"name"`
	Subjects []*subject `json:"subjects"`
	Compared *compared  `json:"compared"`
}

// visited is a running program with its demo data, and a session of the demo account's owner.
type visited struct {
	*griot
	cookie string
	codes  [][]byte // requests that each verify a code
	issued int      // number of codes of all rounds
}

const (
	loginsRound = 1000 // complete logins per round
	codesRound  = 4096 // verifications per round

	receivedRound  = 4096 // inbound messages per round
	receivedPhones = 100  // that send them
)

// turnFigure is a figure for comparing programs. The time of prepare isn't measured; it can be nil.
type turnFigure struct {
	name    string
	prepare func(context.Context, *visited) error
	run     func(context.Context, *visited) (*result, error)
}

// against measures everything except sends of two programs, alternately. Both have the same demo data, which they
// create themselves.
func (r *report) against(ctx context.Context) (err error) {
	figures := []turnFigure{{"login", nil, r.wholeLogins}, {"POST /api/otp/verify", r.issueRound, r.verifyRound}, {"inbox: receive", nil, r.receiveRound}}
	for _, d := range documents() {
		figures = append(figures, turnFigure{"documents " + d.name, nil, r.loaded(r.o.conns, func(v *visited) (string, plan) {
			return v.AuthURL, func(_, _ int, b []byte) []byte { return request(b, "GET", d.path, nil) }
		})})
	}
	for _, name := range []string{"ping", "list_conversations"} {
		figures = append(figures, turnFigure{"assistant: " + name, func(ctx context.Context, v *visited) error { return v.receive(ctx) }, r.loaded(r.o.conns, func(v *visited) (string, plan) {
			return v.BaseURL, v.askAssistant(name)
		})})
	}
	for _, p := range []struct{ name, path string }{{"overview", "/dashboard"}, {"logs", "/dashboard/logs"}, {"codes", "/dashboard/codes"}, {"keys", "/dashboard/keys"}} {
		figures = append(figures, turnFigure{"page: " + p.name, nil, r.loaded(pagesConns, func(v *visited) (string, plan) {
			return v.BaseURL, func(_, _ int, b []byte) []byte {
				return request(b, "GET", p.path, nil, "Cookie: "+v.cookie, "Accept: text/html")
			}
		})})
	}
	figures = slices.DeleteFunc(figures, func(f turnFigure) bool { return !r.wants(f.name) })
	if len(figures) == 0 {
		return nil
	}
	var all []*visited
	for i, p := range programs(r.o) {
		v := &visited{}
		if v.griot, err = startGriot(ctx, nil, p.path, fmt.Sprintf("%s/against-%d", r.o.dir, i)); err != nil {
			return err
		}
		defer v.stop()
		if v.cookie, err = v.signIn(ctx); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		all = append(all, v)
	}
	for _, f := range figures {
		t := &turn{Name: f.name}
		for _, p := range programs(r.o) {
			t.Subjects = append(t.Subjects, &subject{Name: p.name})
		}
		for range r.o.rounds {
			for i, v := range all {
				if f.prepare != nil {
					if err := f.prepare(ctx, v); err != nil {
						return fmt.Errorf("%s: %w", f.name, err)
					}
				}
				before := v.cpu()
				res, err := f.run(ctx, v)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", f.name, t.Subjects[i].Name, err)
				}
				t.Subjects[i].Samples = append(t.Subjects[i].Samples, newSample(res, res.all, usage{own: v.cpu() - before}, v.most()))
			}
		}
		r.showTurn(t)
	}
	return nil
}

// showTurn prints a figure of two programs.
func (r *report) showTurn(t *turn) {
	r.kept.Turns = append(r.kept.Turns, t)
	r.print(t.Name, "", "", "")
	for _, s := range t.Subjects {
		s.Median = s.median()
		r.print("  "+s.Name, fmt.Sprintf("%.0f/s", s.Median.Rate), "", fmt.Sprintf("p50 %.1f ms, p99 %.1f ms, %.0f µs, %.0f MB", s.Median.P50, s.Median.P99, s.Median.CPU, s.Median.Memory))
	}
	t.Compared = compare(t.Subjects[0], t.Subjects[1])
	r.showCompared(t.Subjects[0].Name, t.Subjects[1].Name, t.Compared)
}

// wholeLogins signs people in, from the authorization request to the authorization code.
func (r *report) wholeLogins(ctx context.Context, v *visited) (*result, error) {
	begun := time.Now()
	res := &result{}
	for done := 0; done < loginsRound; done += r.o.conns {
		started := time.Now()
		if _, err := v.logins(ctx, r.o.conns, "", true); err != nil {
			return nil, err
		}
		res.times = append(res.times, time.Since(started))
		res.count += int64(r.o.conns)
	}
	res.all, res.took = res.count, time.Since(begun)
	return res, nil
}

// loaded returns a function that loads a program's address with the requests of ask.
func (r *report) loaded(conns int, ask func(*visited) (url string, p plan)) func(context.Context, *visited) (*result, error) {
	return func(ctx context.Context, v *visited) (*result, error) {
		url, p := ask(v)
		return load(ctx, host(url), conns, r.o.seconds/time.Duration(r.o.rounds), p)
	}
}

// issueRound sends the codes of a round.
func (r *report) issueRound(ctx context.Context, v *visited) (err error) {
	v.codes, err = v.issue(ctx, v.issued, codesRound)
	v.issued += codesRound
	return err
}

// verifyRound verifies the codes of a round, each once.
func (r *report) verifyRound(ctx context.Context, v *visited) (*result, error) {
	each, auth := len(v.codes)/r.o.conns, "Authorization: Bearer "+v.Accounts.Unlimited.LiveKey
	return load(ctx, host(v.BaseURL), r.o.conns, 0, func(conn, n int, b []byte) []byte {
		if n == each {
			return nil
		}
		return request(b, "POST", "/api/otp/verify", v.codes[n*r.o.conns+conn], auth)
	})
}

// receiveRound sends messages from virtual phones to the demo account.
func (r *report) receiveRound(ctx context.Context, v *visited) (*result, error) {
	each := receivedRound / r.o.conns
	body := fmt.Appendf(nil, `{"channel":"whatsapp","to":%q,"text":"Bonjour, où en est ma commande ?","displayName":"Awa"}`, v.Accounts.Business.WhatsAppNumber)
	return load(ctx, host(v.BaseURL), r.o.conns, 0, func(conn, n int, b []byte) []byte {
		if n == each {
			return nil
		}
		return request(b, "POST", fmt.Sprintf("/dev/phones/22376%06d/messages", (n*r.o.conns+conn)%receivedPhones), body)
	})
}

var signInCode = regexp.MustCompile(`\b\d{6}\b`)

// signIn opens a session of the demo account's owner, with the code from the virtual mailbox, and returns its cookie.
func (g *griot) signIn(ctx context.Context) (cookie string, err error) {
	email := g.Accounts.Business.Email
	h, _, err := g.call(ctx, http.MethodPost, g.BaseURL, "/api/session", "", fmt.Sprintf(`{"email":%q}`, email))
	if err != nil {
		return "", err
	}
	browser := firstCookie(h)
	code := ""
	for until := time.Now().Add(startTime); code == ""; time.Sleep(10 * time.Millisecond) {
		_, body, err := g.call(ctx, http.MethodGet, g.BaseURL, "/dev/phones/"+email+"/messages", "", "")
		if err != nil {
			return "", err
		}
		var box struct{ Messages []struct{ Text string } }
		if err := json.Unmarshal(body, &box); err != nil || time.Now().After(until) {
			return "", errors.Join(errors.New("no sign-in code has arrived"), err)
		}
		for _, m := range box.Messages {
			code = signInCode.FindString(m.Text)
		}
	}
	h, _, err = g.call(ctx, http.MethodPost, g.BaseURL, "/api/session/verify", browser, fmt.Sprintf(`{"email":%q,"code":%q}`, email, code))
	return firstCookie(h), err
}
