// Package logtest keeps what is logged, so that tests can hold that nothing in it was submitted.
package logtest
