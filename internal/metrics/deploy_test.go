package metrics_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"example.com/griot/internal/metrics/metricstest"
)

const (
	root       = "../../"
	rulesFile  = root + "deploy/prometheus/alerts.yml"
	rulesTests = root + "deploy/prometheus/alerts_test.yml"
	dashboard  = root + "deploy/grafana/griot.json"
	alertDocs  = root + "docs/operating/alerts/"
)

type rule struct {
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

type ruleGroup struct {
	Name  string `yaml:"name"`
	Rules []rule `yaml:"rules"`
}

type ruleGroups struct {
	Groups []ruleGroup `yaml:"groups"`
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func rules(t *testing.T) (all []rule) {
	t.Helper()
	var file ruleGroups
	if err := yaml.Unmarshal([]byte(read(t, rulesFile)), &file); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) < 20 {
		t.Fatalf("%d rules", len(all))
	}
	return all
}

var metricName = regexp.MustCompile(`\b(griot|go|process|promhttp)_[a-z0-9_]+\b`)

// All metrics in rules, the dashboard, and pages exist, and the dashboard shows all metrics.
func TestDeploy_NamesMetricsThatExist(t *testing.T) {
	m, c := metricstest.New()
	metricstest.Use(m)
	m.Measure(metricstest.Sources(c))
	there := map[string]bool{}
	for line := range strings.Lines(metricstest.Scrape(t, m)) {
		if name := metricName.FindString(line); name != "" && strings.HasPrefix(line, name) {
			there[name] = true
		}
	}
	texts, shown := map[string]string{}, ""
	for title, exprs := range metricstest.Queries(t, dashboard) {
		texts["panel "+title] = strings.Join(exprs, " ")
		shown += texts["panel "+title] + " "
	}
	for _, r := range rules(t) {
		texts["alert "+r.Alert] = r.Expr
	}
	pages, err := filepath.Glob(alertDocs + "*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(err)
	}
	for _, page := range append(pages, root+"docs/operating/monitoring.md") {
		texts[page] = read(t, page)
	}
	for where, text := range texts {
		for _, name := range metricName.FindAllString(text, -1) {
			bare := name
			if there[name+"_count"] {
				bare += "_count" // a histogram by its own name
			}
			if !there[bare] {
				t.Errorf("%s names %s, which is no metric", where, name)
			}
		}
	}
	for _, d := range m.Described() {
		if !strings.Contains(shown, d.Name) {
			t.Errorf("the dashboard does not show %s", d.Name)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#]+\.[a-z]+)(#[^)]*)?\)`)

// Each alert has a description, a severity, and a link to its page. It has tests, and the page about monitoring lists
// it.
func TestDeploy_EachAlertHasItsPageAndItsTests(t *testing.T) {
	monitoring, tests := read(t, root+"docs/operating/monitoring.md"), read(t, rulesTests)
	known := map[string]bool{}
	for _, r := range rules(t) {
		known[r.Alert] = true
		page := "docs/operating/alerts/" + r.Alert + ".md"
		if r.Annotations["summary"] == "" || r.Annotations["runbook"] != page || !strings.HasSuffix(r.Annotations["runbook_url"], "}}/operating/alerts/"+r.Alert) || r.Labels["severity"] != "warning" && r.Labels["severity"] != "critical" {
			t.Errorf("%s: %v %v, want a summary, the runbook %s, and a severity", r.Alert, r.Annotations, r.Labels, page)
		}
		text := read(t, root+page)
		for _, part := range []string{"# " + r.Alert + "\n", "\n" + r.Expr + "\n", "\n## Check\n", "\n## Fix\n", "\nSeverity: " + r.Labels["severity"]} {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %q", page, part)
			}
		}
		if !strings.Contains(monitoring, "| ["+r.Alert+"](alerts/"+r.Alert+".md) | "+r.Labels["severity"]+" |") {
			t.Errorf("docs/operating/monitoring.md does not list %s", r.Alert)
		}
		for _, name := range []string{"fires", "does not"} {
			if !strings.Contains(tests, "- name: "+r.Alert+" "+name+"\n") {
				t.Errorf("alerts_test.yml has no test that %s %s", r.Alert, name)
			}
		}
	}
	pages, err := filepath.Glob(alertDocs + "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, root+"docs/operating/monitoring.md") {
		if name := strings.TrimSuffix(filepath.Base(page), ".md"); strings.HasPrefix(page, alertDocs) && !known[name] {
			t.Errorf("%s is of no alert", page)
		}
		for _, found := range link.FindAllStringSubmatch(read(t, page), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), found[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, found[1], err)
			}
		}
	}
}
