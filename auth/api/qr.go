package api

import (
	"net/http"
	"strconv"
	"strings"

	"rsc.io/qr"

	"griot/internal/fault"
)

const (
	quietZone = 4   // the white border of a QR code, in modules
	qrWidth   = 240 // the space that pages have for it, in CSS pixels
)

// qr draws a login's short address for a phone to read off the screen of another device.
func (a *API) qr(w http.ResponseWriter, r *http.Request) error {
	session, _, err := a.requestedSession(r)
	if err != nil {
		return err
	}
	path := a.logins.ShortPath(session)
	if path == "" {
		return fault.AuthNotFound.Err()
	}
	code, err := encodeQR(a.own.URL + path)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, max-age=90") // the plain page loads itself again and again
	_, _ = w.Write([]byte(drawSVG(code)))
	return nil
}

// encodeQR makes the smallest code of a text, with as much redundancy as fits into it.
func encodeQR(text string) (*qr.Code, error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return nil, err
	}
	for _, level := range []qr.Level{qr.M, qr.Q, qr.H} {
		better, err := qr.Encode(text, level)
		if err == nil && better.Size == code.Size {
			code = better
		}
	}
	return code, nil
}

// drawSVG draws runs of black modules as one path. Each module is a whole number of pixels
// wide, because cheap cameras misread modules of uneven width.
func drawSVG(code *qr.Code) string {
	var b strings.Builder
	modules := code.Size + 2*quietZone
	size, width := strconv.Itoa(modules), strconv.Itoa(max(1, qrWidth/modules)*modules)
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" width="` + width + `" height="` + width + `" viewBox="0 0 ` + size + ` ` + size +
		`" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h` + size + `v` + size + `H0z"/><path d="`)
	for y := range code.Size {
		for x := 0; x < code.Size; {
			run := 0
			for x+run < code.Size && code.Black(x+run, y) {
				run++
			}
			if run > 0 {
				n := strconv.Itoa(run)
				b.WriteString("M" + strconv.Itoa(x+quietZone) + " " + strconv.Itoa(y+quietZone) + "h" + n + "v1h-" + n + "z")
			}
			x += max(run, 1)
		}
	}
	b.WriteString(`"/></svg>`)
	return b.String()
}
