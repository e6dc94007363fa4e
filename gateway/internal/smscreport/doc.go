// Package smscreport reads the delivery reports of SMS centers: a line such as
// "id:7 sub:001 dlvrd:001 submit date:… done date:… stat:DELIVRD err:000 text:…" (SMPP 3.4, Appendix B), which has
// variants. The drivers of SMPP and of HTTP gateways use it.
package smscreport
