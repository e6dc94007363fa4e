package api

import (
	"mime"
	"net/http"

	"example.com/griot/messaging/account"
)

// media handles GET /api/media/:id. The bytes come from the message's sender, so a browser must not execute them.
func (a *API) media(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	id := r.PathValue("id")
	m, err := a.o.Inbox.Media(r.Context(), c, id)
	if err != nil {
		return err
	}
	disposition := "attachment"
	if m.Shown {
		disposition = "inline"
	}
	if m.FileName != "" {
		disposition = mime.FormatMediaType(disposition, map[string]string{"filename": m.FileName})
	}
	h := w.Header()
	h.Set("Content-Disposition", disposition)
	h.Set("Content-Type", m.MIMEType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", `"`+id+`"`)
	http.ServeContent(w, r, "", m.At(), m)
	return nil
}
