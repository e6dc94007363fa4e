package fault

import (
	"fmt"
	"strings"
)

// Markdown returns the text of docs/errors.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Errors\n\nMade from the catalogue in `internal/fault` by `make generate`; do not edit.\n\n")
	b.WriteString("Every error has a stable code. Codes are never reused; the sentences beside them may change. ")
	b.WriteString("A running server shows this page at `/docs/errors`, and every error body links to its line there.\n")
	section(&b, "Login by message", "`error` is the OAuth word, `error_code` the code; the body also has `error_description`, `docs_url` and `request_id`.", AuthKinds())
	section(&b, "Messaging", "`error` and `code` both hold the code; the body also has `success: false`, `message`, `requestId`, `docsUrl` and, where one field is to blame, `field`.", MessagingKinds())
	return b.String()
}

func section(b *strings.Builder, title, body string, kinds []*Kind) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n| status | code | what happened | what to do |\n|---|---|---|---|\n", title, body)
	for _, k := range kinds {
		code := "`" + k.Code + "`"
		if k.OAuth != "" {
			code += " (`" + k.OAuth + "`)"
		}
		fmt.Fprintf(b, "| %d | %s | %s | %s |\n", k.Status, code, k.Text, strings.ReplaceAll(strings.ReplaceAll(k.Fix, "<", "&lt;"), ">", "&gt;"))
	}
}
