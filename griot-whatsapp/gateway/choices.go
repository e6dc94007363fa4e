package gateway

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/griot/griot-whatsapp/protocol"
)

// compose writes a message as plain text, because linked devices cannot show buttons. It returns the choices in the
// order of their numbers.
func compose(text string, i *protocol.Interactive) (string, []protocol.Choice) {
	if i == nil {
		return text, nil
	}
	var parts, lines []string
	options := append([]protocol.Choice(nil), i.Buttons...)
	number := func(c protocol.Choice, n int) string {
		line := fmt.Sprintf("%d. %s", n, c.Title)
		if c.Description != "" {
			line += " – " + c.Description
		}
		return line
	}
	for n, c := range i.Buttons {
		lines = append(lines, number(c, n+1))
	}
	if i.List != nil {
		for _, section := range i.List.Sections {
			if section.Title != "" {
				lines = append(lines, "*"+section.Title+"*")
			}
			for _, c := range section.Rows {
				options = append(options, c)
				lines = append(lines, number(c, len(options)))
			}
		}
	}
	if i.Header != "" {
		parts = append(parts, "*"+i.Header+"*")
	}
	parts = append(parts, text)
	if len(lines) > 0 {
		parts = append(parts, strings.Join(lines, "\n"))
	}
	if i.Link != nil {
		parts = append(parts, i.Link.Title+": "+i.Link.URL)
	}
	if i.Footer != "" {
		parts = append(parts, "_"+i.Footer+"_")
	}
	return strings.Join(parts, "\n\n"), options
}

// chosen returns the option that a reply names by its number or its title.
func chosen(answer string, options []protocol.Choice) *protocol.Choice {
	answer = strings.TrimSpace(answer)
	if n, err := strconv.Atoi(strings.TrimRight(answer, ".)")); err == nil && n >= 1 && n <= len(options) {
		return &protocol.Choice{ID: options[n-1].ID, Title: options[n-1].Title}
	}
	for _, c := range options {
		if strings.EqualFold(answer, c.Title) {
			return &protocol.Choice{ID: c.ID, Title: c.Title}
		}
	}
	return nil
}
