package junit

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"gatecrash/sim/result"
)

type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	counts
	Suites []suite `xml:"testsuite"`
}

type suite struct {
	Name      string `xml:"name,attr"`
	Timestamp string `xml:"timestamp,attr"`
	counts
	Properties []property `xml:"properties>property"`
	Cases      []testcase `xml:"testcase"`
}

type counts struct {
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type testcase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    string   `xml:"time,attr"`
	Failure *trouble `xml:"failure"`
	Error   *trouble `xml:"error"`
	Skipped *trouble `xml:"skipped"`
	Output  string   `xml:"system-out,omitempty"`
}

type trouble struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// WriteFile writes junit.xml into the run directory.
func WriteFile(d result.Dir, r *result.Result) error {
	var b bytes.Buffer
	if err := Write(&b, r); err != nil {
		return err
	}
	return d.WriteFile(result.FileJUnit, b.Bytes())
}

// Write writes the checks of a result as one test suite.
func Write(w io.Writer, r *result.Result) error {
	s := suite{Name: r.Scenario, Timestamp: r.Started.UTC().Format(time.RFC3339), Properties: properties(r)}
	for i := range r.Checks {
		s.Cases = append(s.Cases, caseOf(r, &r.Checks[i]))
	}
	s.Cases = append(s.Cases, verdict(r))
	s.counts = count(s.Cases)
	s.Time = seconds(r.DurationMS)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write junit: %w", err)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(suites{Name: "gatecrash", counts: s.counts, Suites: []suite{s}}); err != nil {
		return fmt.Errorf("write junit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func properties(r *result.Result) []property {
	return []property{
		{"run_id", r.RunID}, {"seed", strconv.FormatUint(r.Seed, 10)}, {"plan_hash", r.PlanHash}, {"verdict", string(r.Verdict)},
		{"expect_verdict", r.Expected}, {"exit", strconv.Itoa(r.Exit)}, {"run_dir", r.Environment.RunDir},
	}
}

// caseOf is one check.
func caseOf(r *result.Result, c *result.Check) testcase {
	t := testcase{Class: r.Scenario + "." + string(c.Kind), Name: c.Name, Time: "0", Output: output(c)}
	message := c.Reason
	if message == "" {
		message = fmt.Sprintf("got %s, want %s", strings.TrimSpace(c.Measured+" "+c.Unit), c.Expected)
	}
	what := trouble{Message: message, Type: string(c.Kind), Text: strings.Join(c.Evidence, "\n")}
	switch {
	case c.Verdict == result.Pass:
	case r.Exit == 0 && c.Verdict == result.Fail:
		t.Output = "failed as the scenario expects: " + message + "\n" + t.Output + "\n" + what.Text
	case r.Exit == 0, c.Verdict == result.Inconclusive && !c.Decides:
		t.Skipped = &trouble{Message: message}
	case c.Verdict == result.Fail:
		t.Failure = &what
	default:
		t.Error = &what
	}
	return t
}

func output(c *result.Check) string {
	return fmt.Sprintf("%s: measured %s; %d samples, at least %d needed", c.Verdict, strings.TrimSpace(c.Measured+" "+c.Unit), c.Samples, c.MinSamples)
}

// verdict is the run as a whole.
func verdict(r *result.Result) testcase {
	t := testcase{Class: r.Scenario + ".run", Name: "verdict", Time: "0", Output: fmt.Sprintf("%s, exit %d: %s", r.Verdict, r.Exit, r.Reason)}
	switch what := (&trouble{Message: r.Reason, Type: string(r.Verdict)}); {
	case r.Exit == 0:
	case r.Verdict == result.Fail && !r.Interrupted:
		t.Failure = what
	default:
		t.Error = what
	}
	return t
}

func count(cases []testcase) counts {
	n := counts{Tests: len(cases)}
	for _, t := range cases {
		switch {
		case t.Failure != nil:
			n.Failures++
		case t.Error != nil:
			n.Errors++
		case t.Skipped != nil:
			n.Skipped++
		}
	}
	return n
}

func seconds(ms int64) string { return strconv.FormatFloat(float64(ms)/1e3, 'f', 3, 64) }
