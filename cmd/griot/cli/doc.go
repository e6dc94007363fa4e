// Package cli has the commands by which people and scripts use the messaging API: send, batch, status, logs, otp, inbox,
// listen, groups, whoami, open, configure, and completion. docs/cli.md describes them. They know the service by the Go client
// only.
package cli
