// Package smsgate is the driver of Android phones with the app SMSGate (android-sms-gateway), over the local network
// or through the app's cloud server.
//
// Our reference is the message's ID, which the app keeps unique on each device. A repeated attempt gets 409, which
// acknowledges it. Because IDs are unique only per device, requests to a cloud server name the device. The expiry is
// sent as ttl. Receipts and inbound messages arrive through the app's webhooks, which are signed over the raw body.
package smsgate
