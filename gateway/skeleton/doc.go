// Package skeleton is a driver to copy (docs/adding-a-gateway.md). Its provider doesn't exist, and no configuration can
// name it.
//
// A driver's doc.go says how a message is sent and what acknowledges it, when the outcome is unknown, how receipts come
// in, and how they are authenticated.
package skeleton
