// Package setup writes the files of a new deployment: the configuration, the master key, the systemd unit, and the
// proxy's configuration. `griot init` asks for the [Answers].
package setup
