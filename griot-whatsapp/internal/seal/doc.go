// Package seal encrypts what is stored with the gateway's master key, which is its own and never Griot's.
package seal
