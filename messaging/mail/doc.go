// Package mail is what the platform writes in its own name, by e-mail: the codes
// by which people sign in, and invitations. Its letters go out as messages of the
// platform's own account, which has no quota, so that nobody pays for them; they
// are sensitive, so that what opens a door is kept sealed and then erased.
//
// Who asks for a code learns nothing: [Writer.Ask] only puts the address on a
// list, and the rest happens in [Writer.Run], whether the address is known or not.
package mail
