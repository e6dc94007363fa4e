package config_test

import (
	"strings"
	"testing"

	"example.com/griot/internal/config"
)

func TestOperator_Check(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		o     config.Operator
		wrong string // the setting that the error names; empty: none
	}{
		"nothing":             {config.Operator{}, ""},
		"everything":          {config.Operator{Name: "Kalabash SARL", Contact: "aide@kalabash.example", Since: "2026-03-01"}, ""},
		"a page":              {config.Operator{Contact: "https://kalabash.example/aide"}, ""},
		"a long name":         {config.Operator{Name: strings.Repeat("é", 201)}, "operator.name"},
		"a name as contact":   {config.Operator{Contact: "Awa <awa@example.com>"}, "operator.contact"},
		"a script":            {config.Operator{Contact: "javascript:alert(1)"}, "operator.contact"},
		"a page by http":      {config.Operator{Contact: "http://kalabash.example"}, "operator.contact"},
		"a date in words":     {config.Operator{Since: "1 March 2026"}, "operator.since"},
		"a day that is not":   {config.Operator{Since: "2026-02-30"}, "operator.since"},
		"a long page's name":  {config.Operator{Contact: "https://kalabash.example/" + strings.Repeat("x", 200)}, "operator.contact"},
		"an address too long": {config.Operator{Contact: strings.Repeat("x", 200) + "@kalabash.example"}, "operator.contact"},
	} {
		c := config.Default()
		c.Operator = tt.o
		err := c.CheckShared()
		if (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("%s: got %v, want an error about %q", name, err, tt.wrong)
		}
	}
}
