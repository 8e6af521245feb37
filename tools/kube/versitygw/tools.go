//go:build tools

// Package versitygw names the S3 gateway of overlays/dev, which tools/setup_kube.sh builds.
package versitygw

import _ "github.com/versity/versitygw/cmd/versitygw"
