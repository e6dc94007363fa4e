// Package gatewaystore manages the gateways of a deployment. They come from the configuration and from the database,
// where operators have stored them with settings sealed with the master key.
//
// A server keeps its open gateways ([gateway.Set]) synchronized with the store. A change in the same process takes
// effect immediately, and a change in another process takes effect within seconds. If no server runs in this process,
// the store changes only the database.
package gatewaystore
