package api

import (
	"net/http"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/qrcode"
)

const qrWidth = 240 // the space that pages reserve for it, in CSS pixels

// qr draws a login's short address, so that a phone can scan it from the screen of another device.
func (a *API) qr(w http.ResponseWriter, r *http.Request, tokens []string) error {
	session, _, err := a.requestedSession(r, tokens)
	if err != nil {
		return err
	}
	path := a.logins.ShortPath(session)
	if path == "" {
		return apierror.AuthNotFound.Err()
	}
	code, err := qrcode.New(a.own.URL + path)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, max-age=90") // the plain page reloads again and again
	_, _ = w.Write([]byte(code.SVG(qrWidth)))     //nolint:gosec // numbers and the letters of paths
	return nil
}
