// Package httpmail is the driver for HTTP email providers. It uses the templates, responses, and webhooks of
// gateway/internal/httpgate, and adds addresses, headers, and the Message-ID. Presets are templates for some
// providers.
//
// Our reference is stored in the provider's metadata, custom arguments, or variables, and is returned with each
// event. Presets disable open and click tracking if the provider allows it, because people have not agreed to it and
// because rewritten links break links that contain codes.
package httpmail
