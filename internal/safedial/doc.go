// Package safedial makes HTTP clients for addresses that customers name: where their webhooks go, where their media lies.
//
// Such an address must not lead into the operator's own network, whatever its name resolves to. So each connection is
// checked when it is dialed, after DNS, by the IP address that it would really reach. Redirects are not followed
// without [Options].Redirects, proxies are not used, and the size of headers and the number of idle connections are bounded.
package safedial
