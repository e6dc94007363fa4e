// Package peertest plays a provider's HTTPS API for the tests of a driver: what
// the provider says is the test's, how it fails to say it is scripted here.
package peertest
