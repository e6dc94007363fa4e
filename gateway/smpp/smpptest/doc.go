// Package smpptest is a message center on a loopback port that does as a test says.
//
// It speaks SMPP 3.4 to whoever binds: it takes what is submitted, gives it an id,
// reports it delivered, and brings what people write, each again and again until
// that is taken. What it does with a submit_sm is a [Reply]; the default accepts.
// Tests of others' programs run against it too, so that its own reading of SMPP is checked.
package smpptest
