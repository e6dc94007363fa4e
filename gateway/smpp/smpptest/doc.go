// Package smpptest is a scripted SMPP 3.4 message center on a loopback port.
//
// It gives each submit_sm an ID, accepts it, and reports it as delivered, unless a [Reply] changes that. It repeats
// each deliver_sm until the client accepts it. The center itself is tested with another implementation of SMPP.
package smpptest
