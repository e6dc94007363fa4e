// Package peers tests Griot's packages with third-party programs: clients and servers from npm, Kannel, Postfix,
// promtool, and stripe-mock. make setup installs them.
package peers
