package web_test

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// WCAG 2.2: 4.5 to 1 for text (AA), 3 to 1 for the borders of a field.
const (
	contrastText = 4.5
	contrastEdge = 3.0
)

func TestColours_HaveContrast(t *testing.T) {
	t.Parallel()
	css := sources(t, "static/css/griot.css")["static/css/griot.css"]
	schemes := regexp.MustCompile(`(?s):root(?::not\(\[data-theme="light"\]\)|\[data-theme="dark"\])? \{(\s.*?)\}`).FindAllStringSubmatch(css, -1)
	if len(schemes) != 3 {
		t.Fatalf("%d color schemes, want light, the system's dark, and the chosen dark", len(schemes))
	}
	if system, chosen := strings.Fields(schemes[1][1]), strings.Fields(schemes[2][1]); !slices.Equal(system, chosen) {
		t.Errorf("the system's dark is\n%s\nand the chosen dark\n%s", system, chosen)
	}
	for i, scheme := range schemes {
		colours := map[string]float64{"#ffffff": 1}
		for _, match := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6});`).FindAllStringSubmatch(scheme[1], -1) {
			colours[match[1]] = luminance(t, match[2])
		}
		for _, pair := range []struct {
			front, back string
			least       float64
		}{
			{"ink", "ground", contrastText},
			{"ink", "paper", contrastText},
			{"ink", "sunk", contrastText},
			{"ink", "green-soft", contrastText},
			{"soft", "ground", contrastText},
			{"soft", "paper", contrastText},
			{"soft", "sunk", contrastText},
			{"soft", "green-soft", contrastText},
			{"soft", "amber-soft", contrastText},
			{"soft", "red-soft", contrastText},
			{"indigo", "ground", contrastText},
			{"indigo", "paper", contrastText},
			{"indigo", "indigo-soft", contrastText},
			{"indigo", "red-soft", contrastText},
			{"on-indigo", "indigo", contrastText},
			{"on-green", "green", contrastText},
			{"green", "paper", contrastText},
			{"green", "green-soft", contrastText},
			{"on-amber", "amber-soft", contrastText},
			{"red", "paper", contrastText},
			{"red", "red-soft", contrastText},
			{"edge", "paper", contrastEdge},
			{"edge", "ground", contrastEdge},
		} {
			front, ok := colours[pair.front]
			back, known := colours[pair.back]
			if !ok || !known {
				t.Fatalf("scheme %d has no %s or %s", i, pair.front, pair.back)
			}
			if ratio := (math.Max(front, back) + .05) / (math.Min(front, back) + .05); ratio < pair.least {
				t.Errorf("scheme %d: %s on %s has a contrast of %.2f, want %.1f", i, pair.front, pair.back, ratio, pair.least)
			}
		}
	}
}

// A tenant chooses one of these for its waiting page. Each is readable, in both themes.
func TestAccents_HaveContrast(t *testing.T) {
	t.Parallel()
	css := sources(t, "static/css/accents.css")["static/css/accents.css"]
	accents := regexp.MustCompile(`\[data-accent="([a-z]+)"\] \{ --light: #([0-9a-f]{6}); --light-soft: #([0-9a-f]{6}); --dark: #([0-9a-f]{6}); --dark-soft: #([0-9a-f]{6}); \}`).FindAllStringSubmatch(css, -1)
	if len(accents) != 12 {
		t.Fatalf("%d accents, want 12", len(accents))
	}
	for _, a := range accents {
		for _, pair := range [][2]string{
			{a[2], a[3]},
			{a[2], "f7f2e9"},
			{a[2], "fffdf9"},
			{a[2], "ffffff"}, // ground, paper, on-indigo
			{a[4], a[5]},
			{a[4], "15120e"},
			{a[4], "201b16"},
			{a[4], "14161f"},
			{"221c16", a[3]},
			{"f4ecdf", a[5]},
			{"665a4d", a[3]},
			{"b9ab99", a[5]}, // ink and soft on tinted backgrounds
		} {
			front, back := luminance(t, pair[0]), luminance(t, pair[1])
			if ratio := (math.Max(front, back) + .05) / (math.Min(front, back) + .05); ratio < contrastText {
				t.Errorf("%s: #%s on #%s has a contrast of %.2f, want %.1f", a[1], pair[0], pair[1], ratio, contrastText)
			}
		}
	}
}

// luminance returns WCAG's relative luminance of an sRGB color.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{.2126, .7152, .0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= .04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
