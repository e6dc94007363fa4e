// Package config reads the settings of `griot serve`: defaults, then griot.yaml
// (strict: an unknown field is an error), then GRIOT_* variables. Secrets can come from
// files: master_key_file, GRIOT_MASTER_KEY_FILE.
package config
