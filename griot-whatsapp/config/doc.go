// Package config reads the gateway's settings from a YAML file and the environment.
package config
