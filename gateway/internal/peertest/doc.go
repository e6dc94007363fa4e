// Package peertest is an HTTPS server that simulates a provider in tests of drivers. The test responds to requests,
// and the package scripts connections that drop or hang. It also contains checks of webhooks, probes, and
// documentation that drivers share.
package peertest
