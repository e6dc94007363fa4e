// Package kanneltest runs a real Kannel between a test and a fake network of phones, which is its HTTP SMSC.
package kanneltest
