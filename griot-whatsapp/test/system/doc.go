// Package system tests griot-whatsapp as operators run it. It builds and starts both programs and uses a fake WhatsApp server.
package system
