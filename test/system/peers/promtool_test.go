package peers_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"example.com/griot/internal/metrics/metricstest"
)

func promtool(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "promtool", args...).CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v (scripts/setup.sh installs it)\n%s", strings.Join(args, " "), err, out)
	}
}

// Prometheus's own tool finds no error in names, kinds, and help texts.
func TestExposition_PassesPromtool(t *testing.T) {
	t.Parallel()
	m, c := metricstest.New()
	metricstest.Use(m)
	m.Measure(metricstest.Sources(c))
	cmd := exec.CommandContext(t.Context(), "promtool", "check", "metrics")
	cmd.Stdin = strings.NewReader(metricstest.Scrape(t, m))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v (scripts/setup.sh installs promtool)\n%s", err, out)
	}
}

// Prometheus's own tool accepts the rules and the dashboard's queries, and each alert fires exactly when its tests
// expect it.
func TestDeploy_PassesPromtool(t *testing.T) {
	t.Parallel()
	promtool(t, "check", "rules", root+"/deploy/prometheus/alerts.yml")
	promtool(t, "test", "rules", root+"/deploy/prometheus/alerts_test.yml")
	board := map[string]any{}
	var recorded []map[string]string
	for _, exprs := range metricstest.Queries(t, root+"/deploy/grafana/griot.json") {
		for _, expr := range exprs {
			recorded = append(recorded, map[string]string{"record": "panel", "expr": expr})
		}
	}
	board["groups"] = []any{map[string]any{"name": "dashboard", "rules": recorded}}
	text, err := yaml.Marshal(board)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "dashboard.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, "check", "rules", "--lint=none", file)
}
