// Package privacy gives an account what it has about a person, and erases it.
//
// An erasure is a row of steps and positions. Each step does a bounded piece of work that can be done again, and the
// position is written after it: so an erasure goes on where a process has died, in whichever process looks next. Where
// the person's address stood, a pseudonym stays ([person.Key]), so that counts stay what they were, and who has
// said STOP gets no messages.
package privacy
