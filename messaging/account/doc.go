// Package account stores accounts with their plans, projects, senders, and API keys, and the people who use them. A
// request's key or session is resolved once to a [Caller], which is passed on as an argument.
//
// An account has an owner, whose address is the account's address, and members, who were invited and can create
// project keys. [Directory] finds and changes accounts. [SignIn] signs in people who prove that an address is theirs.
package account
