//go:build !unix

package loadgen

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
