// Package system tests griot-whatsapp as people run it: both programs are built and started, with a WhatsApp of the tests.
package system
