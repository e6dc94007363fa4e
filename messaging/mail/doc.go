// Package mail sends the platform's own emails: sign-in codes, notices, and invitations. They go out as messages of the
// platform's account, which has no quota, so that no customer pays for them. They are sensitive: their content is
// stored sealed, and erased when it has arrived.
//
// Whoever asks for a code learns nothing about the address: [Service.Ask] only puts it into a queue, and the rest
// happens in [Service.Run], whether the address is known or not.
package mail
