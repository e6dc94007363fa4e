// Package freeport finds free ports for servers that a test starts.
package freeport
