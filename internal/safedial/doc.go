// Package safedial provides HTTP clients for URLs from customers: those of their webhooks and their media.
//
// Such a URL must not reach the operator's own network, regardless of the addresses to which its name resolves. So each
// connection is checked when it is dialed, after DNS, by its actual IP address. Redirects are not followed without
// [Options].Redirects, proxies are not used, and the size of headers and the number of idle connections are limited.
package safedial
