// Package smpptest is a scripted SMPP 3.4 message center on a loopback port.
//
// It gives each submit_sm an id, accepts it, and reports it delivered; a [Reply] changes
// that. It repeats each deliver_sm until the client accepts it. Another implementation
// of SMPP is tested against it too, which checks the center itself.
package smpptest
