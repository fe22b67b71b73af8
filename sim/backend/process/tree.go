package process

import (
	"os"
	"strconv"

	"gatecrash/sim/journal"
)

// descendants lists all processes below pid, parents before children.
func descendants(pid int) []journal.Process {
	children := map[int][]int{}
	for _, each := range running() {
		if stat, err := journal.ReadStat(each); err == nil {
			children[stat.Parent] = append(children[stat.Parent], each)
		}
	}
	var found []journal.Process
	for queue := children[pid]; len(queue) > 0; queue = queue[1:] {
		if p, err := journal.Identify(queue[0]); err == nil {
			found = append(found, p)
		}
		queue = append(queue, children[queue[0]]...)
	}
	return found
}

func running() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// standsStill reports whether the process is stopped or has ended.
func standsStill(pid int) bool {
	stat, err := journal.ReadStat(pid)
	return err != nil || stat.State == 'T' || stat.State == 'Z' || stat.State == 'X'
}
