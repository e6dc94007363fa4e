// Package showcase stores the history of a demo account and of a demo tenant of `griot dev`, so that charts, logs, the
// inbox, and the funnel of logins have content: thirty days that end now. Except for ids, it is the same at each start
// with a new directory, relative to the time of the start. It stores only rows that the services would have written at
// those times, through the packages that own them.
package showcase
