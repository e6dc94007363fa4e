package api

import (
	"net/http"
	"strconv"
	"strings"

	"rsc.io/qr"

	"griot/internal/fault"
	"griot/internal/i18n"
)

// quiet is the white border of a QR code, in modules.
const quiet = 4

// qr draws the deeplink for a phone to read off the screen of another device.
func (a *API) qr(w http.ResponseWriter, r *http.Request) error {
	session, _, err := a.asked(r)
	if err != nil {
		return err
	}
	deeplink := a.logins.Deeplink(session, i18n.Pick(r.Header.Get("Accept-Language")))
	if deeplink == "" {
		return fault.AuthNotFound.Err()
	}
	code, err := qr.Encode(deeplink, qr.L)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write([]byte(drawSVG(code)))
	return nil
}

// drawSVG draws runs of black modules as one path.
func drawSVG(code *qr.Code) string {
	var b strings.Builder
	size := strconv.Itoa(code.Size + 2*quiet)
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ` + size + ` ` + size +
		`" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h` + size + `v` + size + `H0z"/><path d="`)
	for y := range code.Size {
		for x := 0; x < code.Size; {
			run := 0
			for x+run < code.Size && code.Black(x+run, y) {
				run++
			}
			if run > 0 {
				n := strconv.Itoa(run)
				b.WriteString("M" + strconv.Itoa(x+quiet) + " " + strconv.Itoa(y+quiet) + "h" + n + "v1h-" + n + "z")
			}
			x += max(run, 1)
		}
	}
	b.WriteString(`"/></svg>`)
	return b.String()
}
