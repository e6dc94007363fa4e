package apierror

import (
	"fmt"
	"strings"
)

// Markdown returns the text of docs/errors.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Errors\n\nUse this page to find out what an error means and how to fix it. Search it for the code in the response. ")
	b.WriteString("Codes are stable and never reused, but the sentences next to them can change. Each error response links to its line on this page of the running server, at `/docs/errors`.\n\n")
	b.WriteString("- [Messaging API](#messaging-api)\n- [Login by message](#login-by-message)\n- [Reasons of failed messages](#reasons-of-failed-messages)\n")
	section(&b, "Messaging API", "`error` and `code` both contain the code. The response also has `success: false`, `message`, `requestId`, `docsUrl`, and `field` if one field is invalid. With 401, 404, and 405, it also has `error_description`, for OAuth libraries.", MessagingKinds())
	section(&b, "Login by message", "`error` is the OAuth 2.0 error, and `error_code` is the code. The response also has `error_description`, `docs_url`, and `request_id`.", AuthKinds())
	b.WriteString("\n## Reasons of failed messages\n\nA message that a gateway can't deliver has a `reason` in the response, its status, and its webhook event. The page `/docs/errors` of a running server explains each one. The page of the [gateway](README.md#connect-a-provider) lists its reasons. `griot dev` uses [virtual phones](gateways/virtual.md#failure-reasons).\n\nThis page is generated from `internal/apierror` by `make generate`.\n")
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
