// Package mail sends the platform's own emails: sign-in codes, notices, and invitations. They are sent as messages of
// the platform's account, which has no quota, so that no customer pays for them. They are sensitive: their content is
// stored encrypted, and erased after delivery.
//
// A person who requests a code learns nothing about the address. [Service.Ask] only adds the request to a queue, and
// [Service.Run] does the remaining work, whether or not the address is known.
package mail
