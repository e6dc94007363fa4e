package httpgate

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

// locator finds a text in a response: at a path of its JSON (in which * is every element of a list), in a header, or
// in the whole body. From that text, it takes the first group of a regular expression, or the whole match.
type locator struct {
	JSON   string `json:"json"`
	Header string `json:"header"`
	Match  string `json:"match"`

	match *regexp.Regexp
}

// rule is a condition for a response: its status is in Status ("202", "4xx"), and the located text is in Equals, or
// exists if Equals is empty. If the path finds several texts, one match is enough, unless Every is set.
type rule struct {
	locator
	Status []string `json:"status"`
	Equals []string `json:"equals"`
	Every  bool     `json:"every"`
}

// errorRule is the error for a response that matches the rule.
type errorRule struct {
	rule
	Class gateway.Class `json:"class"`
	Code  string        `json:"code"`
}

var (
	statusPattern = regexp.MustCompile(`\A[1-5]([0-9][0-9]|xx)\z`)
	codePattern   = regexp.MustCompile(`\A[a-z][a-z0-9]*(_[a-z0-9]+)*\z`)
)

func (l *locator) prepare(where string) (err error) {
	if l.JSON != "" && l.Header != "" {
		return fmt.Errorf("settings: %s: json and header exclude each other", where)
	}
	if l.Match != "" {
		if l.match, err = regexp.Compile(l.Match); err != nil {
			return fmt.Errorf("settings: %s: match is not a regular expression", where)
		}
	}
	return nil
}

func (r *rule) prepare(where string) error {
	for _, s := range r.Status {
		if !statusPattern.MatchString(s) {
			return fmt.Errorf("settings: %s: status must be like 202 or 4xx", where)
		}
	}
	if len(r.Status) == 0 && !r.locates() {
		return fmt.Errorf("settings: %s needs a status or a place in the answer", where)
	}
	if r.Every && !strings.Contains(r.JSON, "*") {
		return fmt.Errorf("settings: %s: every goes with a * in json", where)
	}
	return r.locator.prepare(where)
}

// prepareAnswers compiles the rules for responses.
func (s *Settings) prepareAnswers() error {
	if s.Success == nil {
		s.Success = &rule{Status: []string{"2xx"}}
	}
	if err := s.Success.prepare("success"); err != nil {
		return err
	}
	if s.Duplicate != nil {
		if err := s.Duplicate.prepare("duplicate"); err != nil {
			return err
		}
	}
	for name, l := range map[string]*locator{"id": s.ID, "error_code": s.ErrorCode} {
		if l != nil {
			if err := l.prepare(name); err != nil {
				return err
			}
		}
	}
	for i := range s.Errors {
		e, where := &s.Errors[i], fmt.Sprintf("errors[%d]", i)
		if !slices.Contains(gateway.Classes(), e.Class) {
			return fmt.Errorf("settings: %s: class must be one of %v", where, gateway.Classes())
		}
		if !codePattern.MatchString(e.Code) {
			return fmt.Errorf("settings: %s: code must be in snake_case", where)
		}
		if err := e.prepare(where); err != nil {
			return err
		}
	}
	return nil
}

// parsedAnswer is a response with its body parsed as JSON. document is nil if the body is not JSON.
type parsedAnswer struct {
	*httpcall.Answer
	document any
}

func parseAnswer(a *httpcall.Answer) parsedAnswer {
	document, err := decode(a.Body)
	if err != nil {
		document = nil
	}
	return parsedAnswer{a, document}
}

// find returns the located text, or the first of several.
func (l *locator) find(r parsedAnswer) (string, bool) {
	found, _ := l.all(r)
	if len(found) == 0 {
		return "", false
	}
	return found[0], true
}

// all returns the text at each place. missing reports whether a place has none.
func (l *locator) all(r parsedAnswer) (found []string, missing bool) {
	texts := []string{string(r.Body)}
	switch {
	case l.JSON != "":
		texts, missing = textsAt(r.document, l.JSON)
	case l.Header != "":
		texts = []string{r.Header.Get(l.Header)}
		if texts[0] == "" {
			texts = nil
		}
	}
	if l.match == nil {
		return texts, missing
	}
	for _, text := range texts {
		m := l.match.FindStringSubmatch(text)
		if m == nil {
			missing = true
			continue
		}
		found = append(found, m[min(1, len(m)-1)])
	}
	return found, missing
}

func (r *rule) locates() bool {
	return r.JSON != "" || r.Header != "" || r.Match != "" || len(r.Equals) > 0
}

func (r *rule) holds(a parsedAnswer) bool {
	status := strconv.Itoa(a.Status)
	if len(r.Status) > 0 && !slices.ContainsFunc(r.Status, func(s string) bool { return s == status || strings.HasSuffix(s, "xx") && s[0] == status[0] }) {
		return false
	}
	if !r.locates() {
		return true
	}
	found, missing := r.all(a)
	wanted := func(text string) bool {
		return len(r.Equals) == 0 || slices.Contains(r.Equals, strings.TrimSpace(text))
	}
	if r.Every {
		return len(found) > 0 && !missing && !slices.ContainsFunc(found, func(text string) bool { return !wanted(text) })
	}
	return slices.ContainsFunc(found, wanted)
}

// classify returns the acknowledgment or the error for a response.
func (s *Settings) classify(answer *httpcall.Answer) (gateway.Ack, *gateway.Error) {
	a := parseAnswer(answer)
	if answer.Whole && s.Success.holds(a) {
		ack := gateway.Ack{}
		if s.ID != nil {
			if id, ok := s.ID.find(a); ok && len(id) <= MaxID && !HasControl(id) {
				ack.ProviderID = strings.TrimSpace(id)
			}
		}
		return ack, nil
	}
	if answer.Whole && s.Duplicate != nil && s.Duplicate.holds(a) {
		return gateway.Ack{}, nil
	}
	return gateway.Ack{}, s.errorOf(a)
}

// errorOf returns the error for a response that is not an acknowledgment.
func (s *Settings) errorOf(a parsedAnswer) *gateway.Error {
	e := &gateway.Error{ProviderCode: s.providerCode(a)}
	if a.Whole {
		for i := range s.Errors {
			if rule := &s.Errors[i]; rule.holds(a) {
				e.Class, e.Code = rule.Class, rule.Code
				a.SetRetryAfter(e)
				return e
			}
		}
	}
	e.Class, e.Code = byStatus(a.Status)
	a.SetRetryAfter(e)
	return e
}

// MaxID is the maximum length of a provider's ID, in bytes.
const MaxID = 256

// byStatus implements the table in docs/gateways/httpsms.md for responses to which no rule applies.
func byStatus(status int) (gateway.Class, string) {
	if class, code, ok := httpcall.CommonStatus(status, unexplained); ok {
		return class, code
	}
	switch {
	case status == http.StatusPaymentRequired:
		return gateway.SenderDown, "balance_empty"
	case status == http.StatusServiceUnavailable:
		return gateway.Temporary, httpcall.CodeUnavailable
	case status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity:
		return gateway.Permanent, "message_refused"
	case status >= 300 && status < 500 && status != http.StatusConflict:
		return gateway.SenderDown, "gateway_misconfigured"
	}
	return gateway.Unknown, unexplained
}

const unexplained = "answer_unexplained"

// providerCode returns the gateway's own code if it can be logged, otherwise the status.
func (s *Settings) providerCode(a parsedAnswer) string {
	if s.ErrorCode != nil {
		if code, ok := s.ErrorCode.find(a); ok {
			if code = httpcall.ProviderCode(code); code != "" {
				return code
			}
		}
	}
	return strconv.Itoa(a.Status)
}
