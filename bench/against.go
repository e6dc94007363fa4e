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

// turn is one figure of two programs, measured in turns.
type turn struct {
	Name     string     `json:"name"`
	Subjects []*subject `json:"subjects"`
	Compared *compared  `json:"compared"`
}

// visited is a program that runs with its demo data, and a session of the demo account's owner.
type visited struct {
	*griot
	cookie string
}

const loginsRound = 1000 // whole logins of a round

// turnFigure is a figure that programs are compared by.
type turnFigure struct {
	name string
	run  func(context.Context, *visited) (*result, error)
}

// against measures logins and pages of two programs in turns. Both have the same demo data, which they make themselves.
func (r *report) against(ctx context.Context) (err error) {
	figures := []turnFigure{{"login", r.wholeLogins}}
	for _, p := range []struct{ name, path string }{{"overview", "/dashboard"}, {"logs", "/dashboard/logs"}, {"codes", "/dashboard/codes"}, {"keys", "/dashboard/keys"}} {
		figures = append(figures, turnFigure{"page: " + p.name, r.page(p.path)})
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
				before := v.cpu()
				res, err := f.run(ctx, v)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", f.name, t.Subjects[i].Name, err)
				}
				t.Subjects[i].Samples = append(t.Subjects[i].Samples, newSample(res, v.cpu()-before, 0, v.most()))
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
		if _, err := v.logins(ctx, r.o.conns, true); err != nil {
			return nil, err
		}
		res.times = append(res.times, time.Since(started))
		res.count += int64(r.o.conns)
	}
	res.all, res.took = res.count, time.Since(begun)
	return res, nil
}

// page returns a load of one page of the dashboard, with the session of the account's owner.
func (r *report) page(path string) func(context.Context, *visited) (*result, error) {
	return func(ctx context.Context, v *visited) (*result, error) {
		return load(ctx, host(v.BaseURL), pagesConns, r.o.seconds/time.Duration(r.o.rounds), func(_, _ int, b []byte) []byte {
			return request(b, "GET", path, nil, "Cookie: "+v.cookie, "Accept: text/html")
		})
	}
}

var signInCode = regexp.MustCompile(`\b\d{6}\b`)

// signIn opens a session of the demo account's owner, with the code that the virtual mailbox gets, and returns its cookie.
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
