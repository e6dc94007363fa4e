// Package roster knows which gateways a deployment has: those of its
// configuration, and those that operators have stored in the database, whose
// settings are sealed with the master key.
//
// A running process keeps its open gateways ([gateway.Set]) as the roster is: a
// change through it counts at once, one through another process within seconds.
// Where no server runs, the same roster changes the database alone.
package roster
