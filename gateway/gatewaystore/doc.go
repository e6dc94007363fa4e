// Package gatewaystore knows which gateways a deployment has: those of its
// configuration, and those that operators have stored in the database, whose
// settings are sealed with the master key.
//
// A server keeps its open gateways ([gateway.Set]) in step with the store: a
// change made in the same process counts at once, one made in another process
// within seconds. Where no server runs, the store changes the database alone.
package gatewaystore
