//go:build tools

// Package tools names the program that tools/setup_compose.sh builds.
package tools

import _ "github.com/docker/compose/v2/cmd"
