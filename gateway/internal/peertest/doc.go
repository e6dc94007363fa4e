// Package peertest is an HTTPS server in a provider's place, for tests of drivers: the
// test answers requests, and the package scripts connections that drop or hang. It also
// has checks that drivers share: of webhooks, probes, and documentation.
package peertest
