package virtual

import (
	"errors"
	"mime"
	"net/http"
	"strings"
	"time"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/isotime"
	"example.com/griot/internal/whatsappid"
)

// Mount adds the phones' HTTP routes, for scripts and the page.
func (g *Gateway) Mount(mux *http.ServeMux) {
	mux.HandleFunc("GET /dev/phones/{address}/messages", g.query(g.listMessages))
	mux.HandleFunc("POST /dev/phones/{address}/messages", g.change(g.writeMessage))
	mux.HandleFunc("POST /dev/phones/{address}/messages/{id}/read", g.change(g.readMessage))
	mux.HandleFunc("POST /dev/phones/{address}/messages/{id}/share", g.change(g.shareNumber))
	mux.HandleFunc("PUT /dev/phones/{address}/messages/{id}", g.change(g.editMessage))
	mux.HandleFunc("DELETE /dev/phones/{address}/messages/{id}", g.change(g.deleteMessage))
	mux.HandleFunc("GET /dev/phones/{address}/messages/{id}/html", g.showHTML)
	mux.HandleFunc("GET /dev/phones/{address}/messages/{id}/media", g.showMedia)
	mux.HandleFunc("PUT /dev/phones/{address}", g.change(g.setPhone))
	mux.HandleFunc("GET /dev/phones/{address}/privacy", g.query(g.getPrivacy))
	mux.HandleFunc("PUT /dev/phones/{address}/privacy", g.change(g.setPrivacy))
	mux.HandleFunc("POST /dev/phones/{address}/number", g.change(g.changeNumber))
	mux.HandleFunc("GET /dev/phones-list", g.query(g.listPhones))
	mux.HandleFunc("GET /dev/phones-options", g.query(g.getOptions))
	mux.HandleFunc("PUT /dev/phones-options", g.change(g.setOptions))
	mux.HandleFunc("GET /dev/faults", g.query(g.listFaults))
	mux.HandleFunc("PUT /dev/faults/{channel}", g.change(g.setFault))
	mux.HandleFunc("GET /dev/attempts/{reference}", g.query(g.listAttempts))
}

// problem is an error response. It contains no part of the request.
type problem struct {
	status        int
	code, message string
}

func (p *problem) Error() string { return p.code }

func badRequest(code, message string) error { return &problem{http.StatusBadRequest, code, message} }

// query responds with the result of fn.
func (g *Gateway) query(fn func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, err := fn(r)
		g.answer(w, r, http.StatusOK, answer, err)
	}
}

// change responds with the result of fn. It accepts browsers only from our own pages, and requires a content type
// that forms of other sites cannot have.
func (g *Gateway) change(fn func(r *http.Request, body []byte) (int, any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		status, answer, err := 0, any(nil), g.checkOrigin(r)
		var body []byte
		if err == nil {
			err = checkContentType(r)
		}
		if err == nil {
			body, err = readBody(w, r)
		}
		if err == nil {
			status, answer, err = fn(r, body)
		}
		g.answer(w, r, status, answer, err)
	}
}

func (g *Gateway) checkOrigin(r *http.Request) error {
	for _, origin := range r.Header.Values("Origin") {
		if origin != g.origin {
			return &problem{http.StatusForbidden, "origin_mismatch", "A page of another origin may not change anything here."}
		}
	}
	return nil
}

func checkContentType(r *http.Request) error {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset, given := params["charset"]
	if err != nil || media != "application/json" || given && !strings.EqualFold(charset, "utf-8") {
		return &problem{http.StatusUnsupportedMediaType, "unsupported_media_type", "The content type has to be application/json."}
	}
	return nil
}

func (g *Gateway) answer(w http.ResponseWriter, r *http.Request, status int, answer any, err error) {
	if err != nil {
		p, ok := errors.AsType[*problem](err)
		if !ok {
			g.logError(r, err)
			p = &problem{http.StatusInternalServerError, "internal_error", "Something went wrong here; the log says what."}
		}
		status, answer = p.status, map[string]string{"error": p.code, "message": p.message}
	}
	w.Header().Set("Cache-Control", "no-store")
	if err := httpx.WriteJSON(w, status, answer); err != nil {
		g.logError(r, err)
	}
}

func (g *Gateway) logError(r *http.Request, err error) {
	if r.Context().Err() == nil { // otherwise, the client has disconnected
		g.log.ErrorContext(r.Context(), "virtual phones: a request failed", "route", r.Pattern, "err", err)
	}
}

// pathAddress returns the address in a request's path. An ID stands for its phone's number.
func (g *Gateway) pathAddress(r *http.Request) (address, error) {
	given := r.PathValue("address")
	if whatsappid.Is(given) {
		p, known := g.people.find(given)
		if !known {
			return address{}, &problem{http.StatusNotFound, "phone_not_found", "No phone has this id."}
		}
		given = p.number
	}
	a, ok := parseAddress(given)
	if !ok {
		return a, badRequest("invalid_address", "The address has to be a number, an email address, the id of a group, or the WhatsApp id of a phone.")
	}
	return a, nil
}

func messageNotFound() error {
	return &problem{http.StatusNotFound, "message_not_found", "No message with this id has arrived there."}
}

// timestamp formats a time as RFC 3339 in UTC with milliseconds; nil for the zero time.
func timestamp(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return nullable(isotime.Format(t))
}

// nullable returns nil for "".
func nullable(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
