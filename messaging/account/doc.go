// Package account holds who sends: accounts with their plan, projects, senders
// and API keys (document 2 §5). A request's key is resolved once into a [Caller],
// which is passed on as an argument.
package account
