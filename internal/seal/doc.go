// Package seal protects secrets. It derives keys from the master key. It uses AES-GCM
// for values that must be read again (signing keys, credentials, sensitive text), HMAC
// for values that must only be recognized, and SHA-256 for random tokens.
package seal
