// Package postfixtest runs a real Postfix that relays everything to the test.
package postfixtest
