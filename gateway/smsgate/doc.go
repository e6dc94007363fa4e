// Package smsgate is the driver of an Android phone that runs the app SMSGate (android-sms-gateway), asked directly
// over the local network or through the app's cloud server.
//
// A message carries our reference as its id, and the app keeps ids unique for each device: a second attempt is
// answered 409, which is as good as a yes. That holds for one device only, so that a cloud server, which would else
// choose a phone by itself, is told which. The message's expiry goes along as seconds to live. What becomes of a
// message, and what people write to the phone's numbers, comes in by the app's webhooks, signed over the raw body.
package smsgate
