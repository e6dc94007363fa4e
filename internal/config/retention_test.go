package config_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/config"
	"example.com/griot/internal/seal"
)

func TestLoad_Retention(t *testing.T) {
	good := "GRIOT_MASTER_KEY=" + seal.NewMasterKey()
	c, err := config.Load(write(t, whole+"retention: {messages: 0, content: 36h, audit: 1000d, inbox: 7d}\n"), []string{good, "GRIOT_RETENTION_EVENTS=10d"})
	if err != nil {
		t.Fatal(err)
	}
	if want := (config.Retention{Content: config.Age(36 * time.Hour), Events: 10 * config.Day, Audit: 1000 * config.Day, Inbox: 7 * config.Day}); c.Retention != want {
		t.Errorf("got %+v, want %+v", c.Retention, want)
	}
	for text, names := range map[string]string{
		"retention: {messages: 30d}": "retention.messages", "retention: {content: 1h}": "retention.content", "retention: {events: 6d}": "retention.events", "retention: {audit: 1d}": "retention.audit",
		"retention: {inbox: 0}": "retention.inbox", "retention: {inbox: 31d}": "retention.inbox", "retention: {messages: often}": "90d", "retention: {messages: -1d}": "90d", "retention: {content: 99999d}": "90d", "retention: {mails: 1d}": "mails",
	} {
		if _, err := config.Load(write(t, whole+text+"\n"), []string{good}); err == nil || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: got %v, want an error with %q", text, err, names)
		}
	}
}

// docs/config.md has each retention with its default.
func TestRetention_IsDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	r := config.Default().Retention
	for name, age := range map[string]config.Age{"messages": r.Messages, "content": r.Content, "events": r.Events, "audit": r.Audit, "inbox": r.Inbox} {
		if row := fmt.Sprintf("| `retention.%s` | `GRIOT_RETENTION_%s` | `%s` |", name, strings.ToUpper(name), age); !strings.Contains(string(b), row) {
			t.Errorf("docs/config.md lacks %q", row)
		}
	}
}
