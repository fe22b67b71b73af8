package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"gatecrash/scenarios"
	"gatecrash/sim/crowd"
	"gatecrash/sim/scenario"
)

// planFlags of the command. seed counts only when it was given.
type planFlags struct {
	seed    uint64
	seedSet bool
	scale   float64
	asJSON  bool
}

// newPlanCommand shows what a scenario would send, without any server.
func newPlanCommand() *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:   "plan SCENARIO",
		Short: "Show what a scenario would send; starts no server",
		Long: `Plan draws the visitors of a scenario, as "run" does, and shows who comes when. It starts no server and writes nothing.

Two runs with the same plan hash offer the same crowd: the same visitors, arrivals, wishes and habits. What they are answered differs from run to run.`,
		Example: "  gatecrash plan opening-night\n  gatecrash plan my.yaml --seed 9 --scale 0.1 --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.seedSet = cmd.Flags().Changed("seed")
			return f.show(cmd.OutOrStdout(), args[0])
		},
	}
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "seed of the draws; without it the scenario's own")
	cmd.Flags().Float64Var(&f.scale, "scale", 1, "multiply visitors, seats and rates")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the plan's figures as JSON")
	return cmd
}

func (f *planFlags) show(to io.Writer, name string) error {
	if !(f.scale > 0) || math.IsInf(f.scale, 0) {
		return exitWith(exitUsage, fmt.Errorf("--scale: got %v, want more than 0, for example 0.1", f.scale))
	}
	file, text, err := scenarios.Resolve(name)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	sc, err := scenario.Parse(file, text)
	if err != nil {
		return exitWith(exitUsage, fmt.Errorf("scenario %q cannot be run:\n%w", name, err))
	}
	if f.scale != 1 {
		sc = sc.Scale(f.scale)
	}
	if !f.seedSet {
		f.seed = sc.Seed
	}
	plan, err := crowd.NewPlan(sc, f.seed)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	figures := planFigures(plan, f.scale)
	if f.asJSON {
		return writeJSON(to, figures)
	}
	return errors.Join(printPlan(to, figures), printArrivals(to, figures))
}

// planned is what plan says of a scenario.
type planned struct {
	Scenario      string         `json:"scenario"`
	Question      string         `json:"question"`
	Seed          uint64         `json:"seed"`
	Scale         float64        `json:"scale"`
	PlanHash      string         `json:"plan_hash"`
	Visitors      int            `json:"visitors"`
	Accounts      int            `json:"accounts"`
	Addresses     int            `json:"addresses"`
	Intents       int            `json:"intents"`     // when nobody has to come back
	MostIntents   int            `json:"intents_max"` // when everybody uses every try
	Seats         int64          `json:"seats"`
	Wanted        int64          `json:"seats_wanted"`
	LastArrivalMS int64          `json:"last_arrival_ms"`
	MaxDurationMS int64          `json:"max_duration_ms"`
	TooLate       int            `json:"after_max_duration"` // visitors who are planned to come after the run has been stopped
	Sales         []plannedSale  `json:"sales"`
	Crowds        []plannedCrowd `json:"crowds"`
	ArrivePerSec  []int          `json:"arrivals_per_second"`
	ActPerSec     []int          `json:"first_acts_per_second"` // of those who wait for an opening
}

type plannedSale struct {
	Name    string `json:"name"`
	Seats   int64  `json:"seats"`
	OpensMS int64  `json:"opens_ms"`
	Wanted  int64  `json:"seats_wanted"`
}

type plannedCrowd struct {
	Name        string `json:"name"`
	Sale        string `json:"sale"`
	Shape       string `json:"shape"`
	Visitors    int    `json:"visitors"`
	Waiting     int    `json:"waiting_for_opening"`
	Wanted      int64  `json:"seats_wanted"`
	Cancelling  int    `json:"cancelling"` // of those who get a booking
	MostIntents int    `json:"intents_max"`
}

func planFigures(p *crowd.Plan, scale float64) *planned {
	sc := p.Scenario()
	all := &planned{
		Scenario: sc.Name, Question: sc.Question, Seed: p.Seed(), Scale: scale, PlanHash: p.Hash(), Visitors: p.Len(), Accounts: p.Accounts(), Addresses: p.Addresses(),
		Intents: p.Len(), LastArrivalMS: p.Last().Milliseconds(), MaxDurationMS: sc.MaxDuration.Milliseconds(), ArrivePerSec: []int{}, ActPerSec: []int{},
	}
	for _, s := range sc.Sales {
		all.Sales = append(all.Sales, plannedSale{Name: s.Name, Seats: s.Capacity, OpensMS: s.OpensAfter.Milliseconds()})
		all.Seats += s.Capacity
	}
	for i := range sc.Crowds {
		c := &sc.Crowds[i]
		most := c.Visitors * keysOf(c)
		all.Crowds = append(all.Crowds, plannedCrowd{Name: c.Name, Sale: c.Sale, Shape: c.Arrive.Shape, Visitors: c.Visitors, MostIntents: most})
		all.MostIntents += most
	}
	for i := range p.Len() {
		all.add(p.Visitor(i), sc.MaxDuration)
	}
	return all
}

// keysOf is how many idempotency keys one visitor uses at most.
func keysOf(c *scenario.Crowd) int {
	if c.Retry.Key == "fresh" || c.Accounts.Mode == scenario.ManyPer {
		return c.Retry.Attempts
	}
	return 1
}

func (p *planned) add(v crowd.Visitor, most time.Duration) {
	c := &p.Crowds[v.Crowd]
	c.Wanted += int64(v.Wants)
	p.Wanted += int64(v.Wants)
	p.Sales[v.Sale].Wanted += int64(v.Wants)
	if v.Cancels {
		c.Cancelling++
	}
	if v.Arrive > most {
		p.TooLate++
	}
	p.ArrivePerSec = tick(p.ArrivePerSec, v.Arrive)
	if v.Waits {
		c.Waiting++
		p.ActPerSec = tick(p.ActPerSec, v.ActAt)
	}
}

// tick counts one in the second of at.
func tick(perSec []int, at time.Duration) []int {
	second := int(at / time.Second)
	for len(perSec) <= second {
		perSec = append(perSec, 0)
	}
	perSec[second]++
	return perSec
}

func printPlan(to io.Writer, p *planned) error {
	fmt.Fprintf(to, "%s: %s\n", p.Scenario, p.Question)
	fmt.Fprintf(to, "seed %d, scale %g, plan %s\n", p.Seed, p.Scale, p.PlanHash)
	fmt.Fprintf(to, "%d visitors want %d seats of %d; %d accounts, %d addresses, %d intents (%d if every try is used)\n",
		p.Visitors, p.Wanted, p.Seats, p.Accounts, p.Addresses, p.Intents, p.MostIntents)
	if p.TooLate > 0 {
		fmt.Fprintf(to, "%d of them come after max_duration of %v and will not be started\n", p.TooLate, time.Duration(p.MaxDurationMS)*time.Millisecond)
	}
	fmt.Fprintln(to)
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "crowd\tsale\tshape\tvisitors\twaiting for the opening\tseats wanted\tcancelling\tintents at most\t")
	for _, c := range p.Crowds {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t\n", c.Name, c.Sale, c.Shape, c.Visitors, c.Waiting, c.Wanted, c.Cancelling, c.MostIntents)
	}
	return w.Flush()
}

// Size of the sketch.
const (
	sketchRows  = 40
	sketchWidth = 50
)

// printArrivals sketches the arrivals per second, and those who waited when they act.
func printArrivals(to io.Writer, p *planned) error {
	seconds := max(len(p.ArrivePerSec), len(p.ActPerSec))
	step := max(1, (seconds+sketchRows-1)/sketchRows)
	fmt.Fprintf(to, "\n%8s  %8s  %8s\n", "second", "arrive/s", "act/s")
	highest := 1.0
	for at := 0; at < seconds; at += step {
		highest = max(highest, mean(p.ArrivePerSec, at, step), mean(p.ActPerSec, at, step))
	}
	var err error
	for at := 0; at < seconds && err == nil; at += step {
		arrive, act := mean(p.ArrivePerSec, at, step), mean(p.ActPerSec, at, step)
		row := fmt.Sprintf("%8d  %8.0f  %8.0f  %s%s", at, arrive, act, overlay(arrive/highest, act/highest), p.opening(at, step))
		_, err = fmt.Fprintln(to, strings.TrimRight(row, " "))
	}
	return err
}

func mean(perSec []int, from, step int) float64 {
	sum := 0
	for at := from; at < min(from+step, len(perSec)); at++ {
		sum += perSec[at]
	}
	return float64(sum) / float64(step)
}

// overlay draws arrivals as # and, where they reach further, the acts of those who waited as +.
func overlay(arrive, act float64) string {
	hashes, pluses := int(math.Round(arrive*sketchWidth)), int(math.Round(act*sketchWidth))
	return strings.Repeat("#", hashes) + strings.Repeat("+", max(0, pluses-hashes))
}

// opening names the sales that open within a row.
func (p *planned) opening(at, step int) string {
	text := ""
	for _, s := range p.Sales {
		if second := int(s.OpensMS / 1000); second >= at && second < at+step {
			text += fmt.Sprintf("  <- %s opens", s.Name)
		}
	}
	return text
}
