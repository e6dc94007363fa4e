// Package smsgate is the driver of Android phones with the app SMSGate (android-sms-gateway), over the local network or
// through the app's cloud server.
//
// Our reference is the message's id, which the app keeps unique on each device: a repeated attempt is answered with 409,
// which acknowledges it. Since that holds for one device, requests to a cloud server name the device. The expiry is sent as
// ttl. Receipts and inbound messages come in by the app's webhooks, signed over the raw body.
package smsgate
