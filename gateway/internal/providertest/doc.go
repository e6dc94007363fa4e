// Package providertest is an HTTP server in a provider's place. It can drop connections, hang, stop listening, and come
// back, as the scripts of gatewaytest ask for; the test decides what it answers.
package providertest
