// Package seal encrypts stored values with the gateway's master key, which is separate from Griot's.
package seal
