// Package providertest is an HTTP server that simulates a provider. It can drop connections, hang, stop listening,
// and listen again, as the scripts of gatewaytest require. The test determines the responses.
package providertest
