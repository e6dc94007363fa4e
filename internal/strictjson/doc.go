// Package strictjson decodes JSON from other programs without ambiguity.
//
// It matches the names of fields exactly, refuses a name that occurs twice in an object,
// and requires UTF-8 without lone surrogates. encoding/json accepts names in any case,
// uses the last of two equal names, and replaces invalid UTF-8. So two programs, such as
// this one and a proxy or signer in front of it, could read the same body differently.
//
// It uses the package that encoding/json/v2 is based on, at a version that go.mod pins.
// No other package imports it.
package strictjson
