// Package inbox takes messages from people and keeps them for the account whose
// number they were sent to. Reading them is not here yet.
package inbox
