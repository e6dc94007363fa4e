// Package showcase stores the history of a demo account and of a demo tenant of `griot dev`, so that charts, logs, the inbox,
// and the funnel of logins show something: thirty days that end now. It is the same at each start of a new folder, relative
// to the time of the start, but for ids. Only rows that the services would have written at those times are stored, by the
// packages that own them.
package showcase
