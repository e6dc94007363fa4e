package config

import (
	"path/filepath"
	"sync/atomic"
)

// Dev holds settings that only griot dev and test programs have. They can't be set in a file or by a variable.
type Dev struct {
	VerifyOnPublic  bool   // /internal/verify on the login service's listener, too
	PhonesURL       string // of the page of the virtual phones; empty: none
	LoginPhonesURL  string // the same, if people send the words of logins from there; empty: the login's number is a real one
	MediaLoopback   bool   // attachments can be fetched from this machine, too
	WebhookLoopback bool   // events can be sent to this machine, too
	ShortDelays     bool   // between the attempts to deliver an event

	AskForNumber  *atomic.Bool // the switch for auth.ask_for_number on the page of the virtual phones; nil: none
	ConfirmSignIn *atomic.Bool // the same for auth.confirm_sign_in
}

// ForDev returns the settings of a griot dev that keeps its data in dir, before its flags are read.
func ForDev(dir string) *Config {
	c := Default()
	c.Database = "sqlite:" + filepath.Join(dir, "griot.db")
	c.RateLimits, c.Signup, c.UnderWay = false, "open", 0
	c.Log = Log{Level: "warn", Format: "text"}
	c.Operator = Operator{Name: "griot dev", Contact: "operator@example.com"}
	c.Dev = Dev{VerifyOnPublic: true, MediaLoopback: true, WebhookLoopback: true, ShortDelays: true, AskForNumber: &atomic.Bool{}, ConfirmSignIn: &atomic.Bool{}}
	return c
}

// AsksForNumber reports whether the login service asks people whose number WhatsApp hides for it: by the setting, or by
// the switch of griot dev.
func (c *Config) AsksForNumber() bool {
	return c.Auth.AskForNumber || c.Dev.AskForNumber != nil && c.Dev.AskForNumber.Load()
}

// ConfirmsSignIn reports whether the login service replies to messages that prove a login: by the setting, or by the
// switch of griot dev.
func (c *Config) ConfirmsSignIn() bool {
	return c.Auth.ConfirmSignIn || c.Dev.ConfirmSignIn != nil && c.Dev.ConfirmSignIn.Load()
}

// LoginsCanWrite reports whether the login service can send a message to a person during the life of the process.
func (c *Config) LoginsCanWrite() bool {
	return c.Auth.AskForNumber || c.Auth.ConfirmSignIn || c.Dev.AskForNumber != nil || c.Dev.ConfirmSignIn != nil
}
