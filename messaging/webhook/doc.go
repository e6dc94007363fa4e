// Package webhook writes events beside the change that they tell of, in the same
// transaction, with the body that will be delivered. Delivering them is not here yet.
package webhook
