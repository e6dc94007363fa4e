package api

import (
	"strings"

	"example.com/griot/auth/dashboard"
	"example.com/griot/auth/login"
	"example.com/griot/internal/httpx"
)

func isPage(path string) bool {
	switch path {
	case "/authorize", "/authorize/open", "/authorize/again", login.ReturnPath, "/waiting.html", plainPath, signOutPath, signedOutPath, "/terms", "/privacy":
		return true
	}
	return httpx.Below(path, dashboard.Home) || httpx.Below(path, docsPath)
}

// showsErrors reports whether people see the errors at a path, because they followed a link, sent a
// form, or scanned a QR code.
func showsErrors(path string) bool {
	return isPage(path) || strings.HasPrefix(path, login.ShortPrefix)
}

// docsPath is the path of the documentation.
const docsPath = "/docs"
