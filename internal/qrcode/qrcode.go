package qrcode

import (
	"strconv"
	"strings"

	"rsc.io/qr"
)

// quietZone is the width of the white border that a QR code needs, in modules.
const quietZone = 4

// Code is the QR code of a text.
type Code struct{ code *qr.Code }

// New creates the smallest code of a text, with the highest redundancy for that size.
func New(text string) (*Code, error) {
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
	return &Code{code}, nil
}

// Size returns the width and height of the code in modules, including its border.
func (c *Code) Size() int { return c.code.Size + 2*quietZone }

// Path returns the black modules as an SVG path of [Code.Size] units, with one piece for each run.
func (c *Code) Path() string {
	var b strings.Builder
	for y := range c.code.Size {
		for x := 0; x < c.code.Size; {
			run := 0
			for x+run < c.code.Size && c.code.Black(x+run, y) {
				run++
			}
			if run > 0 {
				n := strconv.Itoa(run)
				b.WriteString("M" + strconv.Itoa(x+quietZone) + " " + strconv.Itoa(y+quietZone) + "h" + n + "v1h-" + n + "z")
			}
			x += max(run, 1)
		}
	}
	return b.String()
}

// Width returns the width of the drawn code in CSS pixels. fit is the available space. Each module is a whole number of
// pixels wide, because cheap cameras misread modules of uneven width.
func (c *Code) Width(fit int) int { return max(1, fit/c.Size()) * c.Size() }

// SVG returns the code as an SVG. fit is the available space in CSS pixels.
func (c *Code) SVG(fit int) string {
	size, width := strconv.Itoa(c.Size()), strconv.Itoa(c.Width(fit))
	return `<svg xmlns="http://www.w3.org/2000/svg" width="` + width + `" height="` + width + `" viewBox="0 0 ` + size + ` ` + size +
		`" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h` + size + `v` + size + `H0z"/><path d="` + c.Path() + `"/></svg>`
}

// The colors of [Code.Text]: the black and the white of the 256-color palette that a terminal's theme doesn't change.
const (
	blackOnWhite = "\x1b[38;5;16;48;5;231m"
	noColor      = "\x1b[0m"
)

// Text draws the code in half blocks, with two modules above each other in one character. With color, it is black
// on white regardless of the terminal's colors. Without color, it is correct on a dark background, and inverted on
// a light one.
func (c *Code) Text(color bool) string {
	const both, upper, lower, none = "█", "▀", "▄", " "
	var b strings.Builder
	size := c.Size()
	ink := func(x, y int) bool { // without color, the white modules are drawn
		black := c.code.Black(x-quietZone, y-quietZone)
		return y < size && black == color
	}
	for y := 0; y < size; y += 2 {
		if color {
			b.WriteString(blackOnWhite)
		}
		for x := range size {
			switch top, bottom := ink(x, y), ink(x, y+1); {
			case top && bottom:
				b.WriteString(both)
			case top:
				b.WriteString(upper)
			case bottom:
				b.WriteString(lower)
			default:
				b.WriteString(none)
			}
		}
		if color {
			b.WriteString(noColor)
		}
		b.WriteString("\n")
	}
	return b.String()
}
