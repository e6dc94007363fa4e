// Package peers tests Griot's packages against programs that others wrote: clients and servers from npm, Kannel, Postfix,
// promtool, and stripe-mock. make setup installs them.
package peers
