package html

import (
	"math"
	"testing"
)

func TestFormats(t *testing.T) {
	tests := []struct{ call, got, want string }{
		{"whole(0)", whole(0), "0"},
		{"whole(999)", whole(999), "999"},
		{"whole(1234567)", whole(1234567), "1,234,567"},
		{"whole(-1234)", whole(-1234), "−1,234"},
		{"signed(7)", signed(7), "+7"},
		{"signed(0)", signed(0), "0"},
		{"figure(0.0123)", figure(0.0123), "0.012"},
		{"figure(2.345)", figure(2.345), "2.35"},
		{"figure(45.67)", figure(45.67), "45.7"},
		{"figure(1234.5)", figure(1234.5), "1,235"},
		{"percent(0.9999)", percent(0.9999), "99.99 %"},
		{"micros(999)", micros(999), "999 µs"},
		{"micros(1500)", micros(1500), "1.50 ms"},
		{"micros(61000)", micros(61000), "61 ms"},
		{"micros(2500000)", micros(2500000), "2.50 s"},
		{"clock(-0)", clock(math.Copysign(0, -1)), "0 s"},
		{"clock(-0.04)", clock(-0.04), "0 s"},
		{"clock(-2)", clock(-2), "−2 s"},
		{"clock(4.25)", clock(4.25), "4.3 s"},
		{"clock(185)", clock(185), "3:05"},
		{"clock(3723)", clock(3723), "1:02:03"},
		{"clipTo(über, 1)", clipTo("über", 1), "…"},
		{"clipTo(über, 2)", clipTo("über", 2), "ü…"},
		{"short(25000)", short(25000), "25k"},
		{"millis(0.1)", millis(0.1), "0.1 ms"},
		{"millis(10000)", millis(10000), "10 s"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s = %q, want %q", tt.call, tt.got, tt.want)
		}
	}
}
