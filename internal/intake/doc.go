// Package intake reads the bodies of requests before their sender is authenticated. Each body is limited in size and
// time, and all bodies together in size. One address gets at most an eighth of a budget, or one body if that is more.
// Addresses that have sent a valid signature can use all of it, and the others share one half.
package intake
