// Package skeleton is a driver to copy (docs/adding-a-gateway.md): it speaks to a provider that nobody has, and no
// configuration can name it.
//
// A driver's own story stands here: how a message goes out and what acknowledges it, what is unknown after a
// connection is lost, how receipts come in and what proves that they are the provider's.
package skeleton
