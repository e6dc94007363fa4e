package reference

import (
	"net/http"
	"net/url"
	"strings"
)

// Curl returns a curl command that calls the operation at a service's address with the
// example values. Secrets are shell variables, so they don't appear in the shell's history.
func (o *Operation) Curl(base string) string {
	lines := []string{"curl"}
	if o.Method != http.MethodGet && (o.Method != http.MethodPost || len(o.Bodies) == 0) {
		lines[0] += " -X " + o.Method
	}
	lines[0] += " " + shellQuote(base+o.exampleAddress())
	example := o.example()
	if c := o.credential(example); c != nil {
		lines = append(lines, c.curl())
	}
	for _, p := range o.ParametersIn("header") {
		if p.Required {
			lines = append(lines, "-H "+shellQuote(p.Name+": "+p.Example))
		}
	}
	if example == nil {
		return strings.Join(lines, " \\\n  ")
	}
	if o.Bodies[0].MediaType == formType {
		for _, m := range example.members {
			lines = append(lines, "--data-urlencode "+shellQuote(m.name+"="+m.value))
		}
		return strings.Join(lines, " \\\n  ")
	}
	lines = append(lines, "-H "+shellQuote("Content-Type: "+o.Bodies[0].MediaType), "-d "+shellQuote(example.Text))
	return strings.Join(lines, " \\\n  ")
}

const formType = "application/x-www-form-urlencoded"

// example returns the first example of the request.
func (o *Operation) example() *Example {
	if len(o.Bodies) == 0 || len(o.Bodies[0].Examples) == 0 {
		return nil
	}
	return &o.Bodies[0].Examples[0]
}

// exampleAddress returns the path with examples, and the required query.
func (o *Operation) exampleAddress() string {
	address, query := o.Path, url.Values{}
	for _, p := range o.Parameters {
		switch {
		case p.In == "path":
			address = strings.ReplaceAll(address, "{"+p.Name+"}", p.Example)
		case p.In == "query" && p.Required:
			query.Set(p.Name, p.Example)
		}
	}
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return address
}

// credential returns the credential of the example: none if the operation is open and its body names the client.
func (o *Operation) credential(example *Example) *Credential {
	if len(o.Credentials) == 0 {
		return nil
	}
	if o.Open && example != nil {
		for _, m := range example.members {
			if m.name == "client_id" {
				return nil
			}
		}
	}
	return &o.Credentials[0]
}

func (c *Credential) curl() string {
	switch c.Kind {
	case "bearer":
		return `-H "Authorization: Bearer $GRIOT_API_KEY"`
	case "token":
		return `-H "Authorization: Bearer $ACCESS_TOKEN"`
	case "basic":
		return `-u "$CLIENT_ID:$CLIENT_SECRET"`
	case "cookie":
		return `-b "` + c.Header + `=$COOKIE"`
	default:
		return `-H "` + c.Header + `: $SIGNATURE"`
	}
}

// shellQuote quotes a word of a command for a POSIX shell.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Try returns the requirement for trying the operation from its page: "key", "client", or "nothing". It returns
// "live" if the operation only takes live keys, which must not be entered there. It returns "" if the operation
// can't be tried, because it needs a browser's session, a token of a login, or a gateway's secret, or responds
// with a page or a stream.
func (o *Operation) Try() string {
	if !o.answersJSON() {
		return ""
	}
	for _, c := range o.Credentials {
		switch c.Kind {
		case "bearer":
			if o.Live {
				return "live"
			}
			return "key"
		case "basic":
			return "client"
		}
	}
	if len(o.Credentials) == 0 && o.Method == http.MethodGet {
		return "nothing"
	}
	return ""
}

// answersJSON reports whether a success response is JSON or has no body.
func (o *Operation) answersJSON() bool {
	for _, r := range o.Responses {
		if r.Failed() || r.Status >= "300" {
			continue
		}
		if len(r.Bodies) == 0 && o.Method != http.MethodOptions {
			return true
		}
		for _, b := range r.Bodies {
			if b.MediaType == "application/json" {
				return true
			}
		}
	}
	return false
}
