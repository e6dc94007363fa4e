package console

import "io"

const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	dim    = "\x1b[2m"
	plain  = "\x1b[0m"
)

// wordColors are the colors of words for a status.
var wordColors = map[string]string{
	"SENT": green, "DELIVERED": green, "READ": green, "SANDBOX": green, "connected": green,
	"QUEUED": yellow, "SENDING": yellow, "SCHEDULED": yellow, "connecting": yellow,
	"FAILED": red, "EXPIRED": red, "CANCELED": red, "disconnected": red, "banned": red, "logged_out": red,
}

// Word returns a status in its color if w supports colors.
func Word(w io.Writer, s string) string {
	if color := wordColors[s]; color != "" && Colors(w) {
		return color + s + plain
	}
	return s
}
