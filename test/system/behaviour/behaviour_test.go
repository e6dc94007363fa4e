package behaviour

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/npmtest"
	"example.com/griot/test/servicetest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// drivers are the programs that run cases with a client, by the client's language.
var drivers = map[string]func(t *testing.T) []string{
	"go": func(t *testing.T) []string {
		t.Helper()
		program := filepath.Join(t.TempDir(), "driver")
		if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./driver-go").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return []string{program}
	},
	"typescript": func(t *testing.T) []string {
		t.Helper()
		source, err := os.ReadFile("../../../sdk/typescript/test/driver.mjs")
		if err != nil {
			t.Fatal(err)
		}
		driver := filepath.Join(npmtest.Install(t, "../../.."), "driver.mjs") // next to the package that it imports
		npmtest.Write(t, driver, string(source))
		return []string{"node", driver}
	},
}

// Every client passes every case, on both databases.
func TestBehaviour(t *testing.T) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	for language, program := range drivers {
		command := program(t)
		t.Run(language, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := newWorld(t, d)
				driver, err := startDriver(t.Context(), w.environment(), command[0], command[1:]...)
				if err != nil {
					t.Fatal(err)
				}
				defer driver.stop()
				for i := range cases {
					if !w.try(driver, &cases[i]) {
						return
					}
				}
			})
		})
	}
}

// try runs one case with a driver and compares the result. It returns false if the driver can no longer be used.
func (w *world) try(driver *driver, c *Case) bool {
	w.t.Helper()
	var results []any
	for _, step := range c.Before {
		result, err := w.do(step, results)
		if err != nil {
			w.t.Errorf("%s: %s: %v", c.Name, step.Do, err)
			return true
		}
		results = append(results, result)
	}
	script := w.api
	if strings.HasPrefix(c.Call, "login.") {
		script = w.login
	}
	var handlers []servicetest.Handler
	for _, a := range c.Answers {
		a.Body = substitute(a.Body, results)
		handlers = append(handlers, a.handler())
	}
	script.ThenOf(c.On, handlers...)
	sent := len(w.messaging.Gateway.Calls())
	filled := *c
	filled.Args = substitute(c.Args, results)
	filled.Want.Result = substitute(c.Want.Result, results)
	got, err := driver.run(&filled)
	if err != nil {
		w.t.Errorf("%s: %v", c.Name, err)
		return false
	}
	problems := filled.Problems(got)
	requests := script.Seen()
	if want := c.Want.Requests; want != nil && len(requests) != *want {
		problems = append(problems, fmt.Sprintf("got %d requests, want %d", len(requests), *want))
	}
	if c.Want.SameIdempotencyKey {
		problems = append(problems, keyProblems(requests)...)
	}
	if want := c.Want.Sent; want != nil {
		if n := len(w.messaging.Gateway.Calls()) - sent; n != *want {
			problems = append(problems, fmt.Sprintf("%d messages were sent, want %d", n, *want))
		}
	}
	for _, problem := range problems {
		w.t.Errorf("%s: %s", c.Name, problem)
	}
	return true
}

// keyProblems reports requests with different idempotency keys.
func keyProblems(requests []servicetest.Request) (problems []string) {
	first := ""
	for i, r := range requests {
		var body struct {
			IdempotencyKey string `json:"idempotencyKey"`
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			return []string{fmt.Sprintf("request %d: %v", i, err)}
		}
		key := body.IdempotencyKey
		if key == "" {
			key = r.Header.Get("Idempotency-Key")
		}
		if first == "" {
			first = key
		}
		if key == "" || key != first {
			problems = append(problems, fmt.Sprintf("request %d has the idempotency key %q, want %q as the first", i, key, first))
		}
	}
	return problems
}

// handler returns the handler that gives a request the answer.
func (a Answer) handler() servicetest.Handler {
	switch {
	case a.Break == "before":
		return servicetest.BreakBefore
	case a.Break == "after":
		return servicetest.BreakAfter
	case a.Break == "within":
		return servicetest.BreakWithin
	case a.Silent:
		return servicetest.Silent
	case a.Status != 0:
		var headers []string
		for name, value := range a.Headers {
			headers = append(headers, name, value)
		}
		body, text := string(a.Body), ""
		if json.Unmarshal(a.Body, &text) == nil {
			body = text
		}
		return servicetest.Respond(a.Status, body, append([]string{"Content-Type", "application/json"}, headers...)...)
	}
	return servicetest.Pass
}

var place = regexp.MustCompile(`^\$([0-9])((?:\.[A-Za-z]+)+)$`)

// substitute replaces $0.member with the result of a step.
func substitute(in json.RawMessage, results []any) json.RawMessage {
	if len(in) == 0 {
		return nil
	}
	var fill func(v any) any
	fill = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for name := range v {
				v[name] = fill(v[name])
			}
		case []any:
			for i := range v {
				v[i] = fill(v[i])
			}
		case string:
			found := place.FindStringSubmatch(v)
			if found == nil {
				return v
			}
			n, err := strconv.Atoi(found[1])
			if err != nil || n >= len(results) {
				return v
			}
			value := results[n]
			for name := range strings.SplitSeq(found[2][1:], ".") {
				members, _ := value.(map[string]any)
				value = members[name]
			}
			return value
		}
		return v
	}
	out, err := json.Marshal(fill(decode(in)))
	if err != nil {
		return in
	}
	return out
}

// The comparison finds the differences that it is made for.
func TestProblems(t *testing.T) {
	n := func(n int) *int { return &n }
	for name, tc := range map[string]struct {
		want     Want
		got      Outcome
		problems int
	}{
		"the same":               {Want{Result: []byte(`{"a":{"b":1}}`)}, Outcome{Result: []byte(`{"a":{"b":1,"c":2}}`)}, 0},
		"another value":          {Want{Result: []byte(`{"a":{"b":1}}`)}, Outcome{Result: []byte(`{"a":{"b":2}}`)}, 1},
		"a member is missing":    {Want{Result: []byte(`{"a":1,"b":2}`)}, Outcome{Result: []byte(`{}`)}, 2},
		"a list that is longer":  {Want{Result: []byte(`{"a":[1]}`)}, Outcome{Result: []byte(`{"a":[1,2]}`)}, 1},
		"an error":               {Want{}, Outcome{Error: &Failure{Kind: "api"}}, 1},
		"no error":               {Want{Error: &Failure{Kind: "api"}}, Outcome{}, 1},
		"another code":           {Want{Error: &Failure{Kind: "api", Code: "a"}}, Outcome{Error: &Failure{Kind: "api", Code: "b", Status: 1}}, 1},
		"another number of them": {Want{PausesMs: [][2]int64{}}, Outcome{PausesMs: []int64{1}}, 1},
		"a pause too long":       {Want{PausesMs: [][2]int64{{1, 2}}, Requests: n(1)}, Outcome{PausesMs: []int64{3}}, 1},
	} {
		c := &Case{Want: tc.want}
		if got := c.Problems(&tc.got); len(got) != tc.problems {
			t.Errorf("%s: got %q, want %d problems", name, got, tc.problems)
		}
	}
	one := servicetest.Request{Request: &http.Request{Header: http.Header{}}, Body: []byte(`{"idempotencyKey":"a"}`)}
	other := servicetest.Request{Request: &http.Request{Header: http.Header{"Idempotency-Key": {"b"}}}, Body: []byte(`{}`)}
	if got := keyProblems([]servicetest.Request{one, one, other}); len(got) != 1 {
		t.Errorf("got %q, want that the third has another key", got)
	}
	if got := string(substitute([]byte(`{"a":["$1.b.c","$9.b"]}`), []any{nil, map[string]any{"b": map[string]any{"c": 7}}})); got != `{"a":[7,"$9.b"]}` {
		t.Errorf("got %s, want 7 in its place", got)
	}
}
