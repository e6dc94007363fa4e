// Package sdnotify reports the state of the process to systemd, as sd_notify(3) does.
package sdnotify
