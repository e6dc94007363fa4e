// Package setup writes what a new deployment needs: the configuration, the master key, the unit of systemd, and the proxy's
// configuration. `griot init` asks for the [Answers].
package setup
