// Package measure turns the records of a run into figures: the phase of each request, times by operation and phase, a series per second, and a
// histogram log for the tools of others.
//
// All of it is computed after the run, from records in any order. Response time is done − intended, service time done − sent; both are taken of every
// request, also of one that was never answered, which counts with its age at the end and is reported as censored: percentiles at or above
// such values are lower bounds.
//
// It decides no verdict and does no I/O but writing series.csv and response.hlog. Anyone in sim may import it. Drift is measured by sim/drift;
// recovery and goodput need the truth and are part of the judgement in sim/check, whose findings TimelineOf takes.
//
// Decision: histograms are HdrHistograms of nanoseconds from 1 us to 1 h, so that memory is fixed and shards merge without loss: 3 digits
// for totals, 2 for seconds. Minimum, maximum and mean are kept aside, exactly; a value above the range is counted as clamped, and the maximum still shows it.
//
// Decision: a second is of what happened in it. intended counts by the intended instant, sent by the sent one, outcomes and times by done. So each column sums
// to the total of the records, and a freeze shows as a second with many intended and nothing done.
package measure
