// Package strictjson reads JSON from others that can be understood in one way only.
//
// A member counts under its exact name, a name occurs once in an object, and text is
// UTF-8 without lone surrogates. encoding/json takes names in any case, lets the last
// of two equal names win, and replaces invalid UTF-8, so two programs can read the
// same body differently, one of them being the proxy or the signer in front of this one.
//
// The package behind it is the one that encoding/json/v2 is made from, at a version that
// go.mod pins; nothing else imports it.
package strictjson
