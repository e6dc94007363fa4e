// Package logtest records what is logged, so that tests can check it, and that nothing submitted is in it.
package logtest
