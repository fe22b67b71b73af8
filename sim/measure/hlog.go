package measure

import (
	"errors"
	"time"

	"gatecrash/sim/history"
)

// start is the wall clock at the i-th second, in milliseconds since 1970.
func (w *writer) start(i int) int64 {
	return w.Zero.Add(time.Duration(w.seconds.first+int64(i)) * time.Second).UnixMilli()
}

// head writes the head of the histogram log. Instants of the lines count from its base, a whole second since the format knows no other.
func (w *writer) head() error {
	base := w.start(0) / 1000 * 1000
	w.log.SetBaseTime(base)
	return errors.Join(
		w.log.OutputLogFormatVersion(),
		w.log.OutputComment("values are nanoseconds; tags are operation-response (done - intended) and operation-service (done - sent)"),
		w.log.OutputComment("values above 1 h stand at 1 h; unfinished requests stand at their age at the end"),
		w.log.OutputStartTime(base),
		w.log.OutputBaseTime(base),
		w.log.OutputLegend(),
	)
}

// intervals writes the lines of one operation in one second; none where nothing was done.
func (w *writer) intervals(i int, op history.Op) error {
	p := w.times[op]
	if p.response.n == 0 {
		return nil
	}
	return errors.Join(w.interval(i, op.String()+"-response", p.response), w.interval(i, op.String()+"-service", p.service))
}

func (w *writer) interval(i int, tag string, t *tally) error {
	t.hist.SetTag(tag)
	t.hist.SetStartTimeMs(w.start(i))
	t.hist.SetEndTimeMs(w.start(i + 1))
	return w.log.OutputIntervalHistogram(t.hist)
}
