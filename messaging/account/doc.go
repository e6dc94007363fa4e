// Package account stores accounts with their plan, projects, senders, and API keys, and
// the people who use them. A request's key or session is resolved once into a [Caller],
// which is passed on as an argument.
//
// An account has an owner, whose address is the account's, and members, who came by
// invitation and may make project keys. [Directory] finds and changes all this;
// [SignIn] signs people in who prove an address.
package account
