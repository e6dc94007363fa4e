// Package qrcode draws QR codes, for pages and for terminals.
package qrcode
