// Package chart turns a run directory into what is drawn of it: six kinds of charts over one common time axis, with their units, models,
// sample counts, fault windows and gaps. It draws nothing: reports/html and reports/plot do, from the same values, so that a page and a
// picture of one run cannot disagree.
//
// It reads files and returns values; it has no clock and no random stream, and the same directory gives the same charts. A file that is
// missing or torn is named in Data.Missing and its charts say why they are empty; an unknown figure is a gap and never 0.
//
// It may be imported by reports only and imports nothing of the project but sim/result.
//
// Decision: the number of points of a series is bounded (MaxPoints), whatever the run's length, so that the report of a run of a day is
// as small as that of a minute. Counts of a bucket are summed and divided by its width; times and drift keep the worst of it, because a mean
// would hide what the reader looks for.
package chart
