package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gatecrash/system/booking"
)

func TestOperatorsRoutesNeedTheSecret(t *testing.T) {
	for _, rt := range routes() {
		if !strings.HasPrefix(rt.path, "/operator/") {
			continue
		}
		path := strings.ReplaceAll(rt.path, "{sale}", "main")
		for _, secret := range []string{"Bearer " + operatorKey + "x", "Bearer t", "Bearer ", ""} {
			w := newWorld()
			a, _ := newAPI(t, w)
			rec := call{rt.method, path, "", http.Header{"Authorization": {secret}}}.do(t, a)
			wantProblem(t, fmt.Sprintf("%s %s with %q", rt.method, path, secret), rec.Code, rec.Header(), rec.Body.Bytes(), 401, "operator-unknown")
			if w.sales["main"] != newWorld().sales["main"] {
				t.Errorf("%s %s with %q changed the sale", rt.method, path, secret)
			}
		}
		a, _ := newAPI(t, newWorld())
		a.settings.OperatorKey = nil
		rec := call{rt.method, path, "", with(visitor(), "Authorization", "Bearer ")}.do(t, a)
		wantProblem(t, rt.path+" without a secret set", rec.Code, rec.Header(), rec.Body.Bytes(), 403, "not-enabled")
	}
}

func TestOperator(t *testing.T) {
	tests := []struct {
		name   string
		call   call
		err    error
		status int
		want   string // part of the body
	}{
		{"create", call{"POST", "/operator/v1/sales", `{"id":"b","capacity":5,"per_account":2}`, nil}, nil, 201, `"state":"scheduled"`},
		{"create to open later", call{"POST", "/operator/v1/sales", `{"id":"b","capacity":5,"per_account":2,"opens_at":"2030-01-02T03:04:05.5Z"}`, nil}, nil, 201, `2030-01-02T03:04:05.5Z`},
		{"create again", call{"POST", "/operator/v1/sales", `{"id":"b","capacity":5,"per_account":2}`, nil}, booking.ErrSaleExists, 409, "sale-exists"},
		{"create with an odd name", call{"POST", "/operator/v1/sales", `{"id":"a b","capacity":5,"per_account":2}`, nil}, nil, 400, "bad-request"},
		{"create with a brace", call{"POST", "/operator/v1/sales", `{"id":"{b}","capacity":5,"per_account":2}`, nil}, nil, 400, "bad-request"},
		{"create with a folder's name", call{"POST", "/operator/v1/sales", `{"id":"..","capacity":5,"per_account":2}`, nil}, nil, 400, "bad-request"},
		{"create without seats", call{"POST", "/operator/v1/sales", `{"id":"b","capacity":0,"per_account":2}`, nil}, nil, 400, "bad-request"},
		{"create for nobody", call{"POST", "/operator/v1/sales", `{"id":"b","capacity":5,"per_account":0}`, nil}, nil, 400, "bad-request"},
		{"create at no time", call{"POST", "/operator/v1/sales", `{"id":"b","capacity":5,"per_account":2,"opens_at":"soon"}`, nil}, nil, 400, "bad-request"},
		{"list", call{"GET", "/operator/v1/sales", "", nil}, nil, 200, `"id":"main"`},
		{"show", call{"GET", "/operator/v1/sales/main", "", nil}, nil, 200, `"debited_seats":2`},
		{"show none", call{"GET", "/operator/v1/sales/none", "", nil}, nil, 404, "unknown-sale"},
		{"open", call{"POST", "/operator/v1/sales/main/open", "", nil}, nil, 200, `"state":"open"`},
		{"pause", call{"POST", "/operator/v1/sales/main/pause", "", nil}, nil, 200, `"state":"paused"`},
		{"resume", call{"POST", "/operator/v1/sales/main/resume", "", nil}, nil, 200, `"state":"open"`},
		{"close", call{"POST", "/operator/v1/sales/main/close", "", nil}, nil, 200, `"state":"closed"`},
		{"resume what is closed", call{"POST", "/operator/v1/sales/main/resume", "", nil}, booking.ErrSaleState, 409, "state-not-allowed"},
		{"add seats", call{"POST", "/operator/v1/sales/main/seats", `{"seats":5}`, nil}, nil, 200, `"capacity":15`},
		{"withdraw too many", call{"POST", "/operator/v1/sales/main/seats", `{"seats":-50}`, nil}, booking.ErrCapacity, 409, "capacity-in-use"},
		{"add no seats", call{"POST", "/operator/v1/sales/main/seats", `{"seats":0}`, nil}, nil, 400, "bad-request"},
		{"add seats without a key", call{"POST", "/operator/v1/sales/main/seats", `{"seats":5}`, with(operators(), "Idempotency-Key")}, nil, 400, "bad-request"},
		{"crash points", call{"GET", "/operator/v1/crashpoints", "", nil}, nil, 200, `"points":["here"]`},
		{"arm", call{"POST", "/operator/v1/crashpoints", `{"point":"here","hit":3,"action":"kill"}`, nil}, nil, 200, `"armed":[{"point":"here","hit":3,"action":"kill"}]`},
		{"arm nothing known", call{"POST", "/operator/v1/crashpoints", `{"point":"there","hit":3,"action":"kill"}`, nil}, nil, 400, "bad-request"},
		{"arm hit 0", call{"POST", "/operator/v1/crashpoints", `{"point":"here","hit":0,"action":"kill"}`, nil}, nil, 400, "bad-request"},
		{"disarm", call{"DELETE", "/operator/v1/crashpoints", "", nil}, nil, 200, `"armed":[]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld()
			w.err = tt.err
			a, _ := newAPI(t, w)
			if tt.call.header == nil {
				tt.call.header = operators()
			}
			if rec := tt.call.do(t, a); rec.Code != tt.status || !strings.Contains(rec.Body.String(), tt.want) {
				t.Errorf("%s %s = %d %s; want %d with %s", tt.call.method, tt.call.path, rec.Code, rec.Body, tt.status, tt.want)
			}
		})
	}
}

func TestCrashPointsCanBeSwitchedOff(t *testing.T) {
	for _, method := range []string{"GET", "POST", "DELETE"} {
		a, _ := newAPI(t, newWorld())
		a.settings.CrashPoints = false
		rec := call{method, "/operator/v1/crashpoints", `{"point":"here","hit":1,"action":"kill"}`, operators()}.do(t, a)
		wantProblem(t, method+" crash points", rec.Code, rec.Header(), rec.Body.Bytes(), 403, "not-enabled")
		if len(a.Crash.Armed()) != 0 {
			t.Errorf("%s armed %v; want nothing", method, a.Crash.Armed())
		}
	}
}

func TestOpeningFillsTheGate(t *testing.T) {
	w := newWorld()
	a, _ := newAPI(t, w)
	call{"POST", "/operator/v1/sales/main/open", "", operators()}.do(t, a)
	if len(w.refilled) != 1 || w.refilled[0] != "main" {
		t.Errorf("gate filled for %q; want main", w.refilled)
	}
}
