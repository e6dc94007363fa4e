package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Retention is the retention time of each kind of stored data. 0 means permanently.
type Retention struct {
	Messages Age `yaml:"messages" env:"MESSAGES"` // messages, with their timeline
	Content  Age `yaml:"content" env:"CONTENT"`   // the content of messages
	Events   Age `yaml:"events" env:"EVENTS"`     // webhook events and their attempts
	Audit    Age `yaml:"audit" env:"AUDIT"`       // audit logs of both services
	Inbox    Age `yaml:"inbox" env:"INBOX"`       // inbound messages, with attachments; never permanent
}

// Age is a time in days or in Go's format for durations: 90d, 36h, 0.
type Age time.Duration

// Day is an [Age] of one day.
const Day = Age(24 * time.Hour)

// maxDays is the longest retention.
const maxDays = 36_500

// UnmarshalText parses an age.
func (a *Age) UnmarshalText(text []byte) error {
	s := string(text)
	if days, found := strings.CutSuffix(s, "d"); found {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > maxDays {
			return errAge
		}
		*a = Age(n) * Day
		return nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || Age(d) > maxDays*Day {
		return errAge
	}
	*a = Age(d)
	return nil
}

var errAge = errors.New("must be a time such as 90d or 36h, or 0")

// String returns an age in the format that UnmarshalText parses.
func (a Age) String() string {
	if a%Day == 0 && a != 0 {
		return fmt.Sprint(int64(a/Day), "d")
	}
	return strings.TrimSuffix(strings.TrimSuffix(time.Duration(a).String(), "0s"), "0m")
}

// The shortest retentions. Charts and the inbox show a month of messages and events, and events are retried for days.
const (
	minMessages = 31 * Day
	minContent  = Day
	minEvents   = 7 * Day
	minAudit    = 31 * Day
	minInbox    = Day
	maxInbox    = 30 * Day
)

func (r *Retention) check(p *CheckError) {
	for _, least := range []struct {
		name       string
		value, min Age
	}{{"messages", r.Messages, minMessages}, {"content", r.Content, minContent}, {"events", r.Events, minEvents}, {"audit", r.Audit, minAudit}} {
		if least.value != 0 && least.value < least.min {
			p.add("retention."+least.name, fmt.Sprintf("at least %s, or 0 to keep all", least.min), "")
		}
	}
	if r.Inbox < minInbox || r.Inbox > maxInbox {
		p.add("retention.inbox", fmt.Sprintf("%s to %s", minInbox, maxInbox), "")
	}
}
