// Package cli has the commands of the messaging API for people and scripts: send, batch, status, logs, otp, inbox,
// listen, groups, whoami, open, configure, and completion. docs/cli.md describes them. They use the service only
// through the Go client.
package cli
