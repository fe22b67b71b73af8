// Package docker holds what containers need: image names, the Dockerfile of the booking service, compose.yaml, and the scripts that build
// server images from Debian packages and install local servers. In Go it gives the image names alone, so that the backend, compose and
// the scripts read the same file.
//
// What it does not do: it talks to no engine. sim/backend may import it.
package docker
