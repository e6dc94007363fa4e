package web

import (
	"fmt"
	"html/template"
)

// icons are line drawings in a square of 24 by 24 units.
var icons = map[string]string{
	"alert":    "M12 3l9.5 17h-19zM12 10v4.5M12 17.4v.1",
	"check":    "M20 6L9 17l-5-5",
	"checks":   "M2 12.5l4 4L14.5 8M11 15l1.5 1.5L21 8",
	"chevron":  "M7 10l5 5 5-5",
	"ban":      "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM5.7 5.7l12.6 12.6",
	"book":     "M6 3h13v15H6a2 2 0 0 0-2 2V5a2 2 0 0 1 2-2zM4 20a2 2 0 0 0 2 1h13v-3",
	"card":     "M3 6h18v12H3zM3 10h18",
	"chart":    "M4 20V10M10 20V4M16 20v-7M21 20H3",
	"clock":    "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 7v5l3.5 2",
	"code":     "M8 7l-5 5 5 5M16 7l5 5-5 5",
	"copy":     "M9 9h11v11H9zM5 15H4V4h11v1",
	"cross":    "M5 5l14 14M19 5L5 19",
	"document": "M6 3h8l4 4v14H6zM14 3v4h4",
	"eye":      "M2 12s3.5-6.5 10-6.5S22 12 22 12s-3.5 6.5-10 6.5S2 12 2 12zM12 9.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z",
	"home":     "M4 11l8-7 8 7v9h-5v-6H9v6H4z",
	"inbox":    "M4 4h16l1 10v6H3v-6zM3 14h5l1.5 3h5L16 14h5",
	"info":     "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 11v6M12 7.5v.1",
	"key":      "M7.5 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM11.5 12H21v4M16.5 12v3",
	"list":     "M8 6h13M8 12h13M8 18h13M3.5 6v.1M3.5 12v.1M3.5 18v.1",
	"lock":     "M5 11h14v10H5zM8 11V7a4 4 0 0 1 8 0v4",
	"menu":     "M4 7h16M4 12h16M4 17h16",
	"link":     "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.6-5.6L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.6 5.6L12 17",
	"message":  "M12 3a9 9 0 1 1-4.5 16.8L3 21l1.2-4.5A9 9 0 0 1 12 3z",
	"out":      "M14 4h6v16h-6M10 8l-4 4 4 4M6 12h10",
	"pause":    "M8 5v14M16 5v14",
	"people":   "M9 4a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM2.5 20c0-4 3-6 6.5-6s6.5 2 6.5 6M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.5c2.2.8 3.5 2.7 3.5 5.5",
	"phone":    "M7 2.5h10v19H7zM11 18.5h2",
	"play":     "M7 4.5l12 7.5-12 7.5z",
	"plus":     "M12 5v14M5 12h14",
	"refresh":  "M20 11a8 8 0 1 0-2 6M20 5v6h-6",
	"search":   "M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16 16l5 5",
	"send":     "M3 11.5L21 3l-6.5 18-3.5-7.5z",
	"settings": "M12 8.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2",
	"shield":   "M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6z",
	"webhook":  "M8 8a4 4 0 1 1 6.5 3L17 16M12 8l-4 7.5M7 20a4 4 0 0 1-2.5-7M11 18h6M17 14a4 4 0 1 1-3 7",
}

// icon draws one of the icons. Screen readers skip it and read the words next to it.
func icon(name string) (template.HTML, error) {
	path, ok := icons[name]
	if !ok {
		return "", fmt.Errorf("no icon %q", name)
	}
	return template.HTML(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="` + path + `"/></svg>`), nil //nolint:gosec // written here
}
