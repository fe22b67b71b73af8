package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

// The limits of the house.
const (
	module      = "gatecrash"
	maxFile     = 500 // lines
	maxFunction = 80  // lines
	maxMain     = 15  // lines of main.go
)

// file is one Go source of the house.
type file struct {
	path   string // from the root, with slashes
	test   bool
	lines  int
	syntax *ast.File
	fset   *token.FileSet
}

// dir is the folder, which is also the import path below the module.
func (f file) dir() string { return path.Dir(f.path) }

// imports gives the paths imported: those of our own packages without the module's name and with its slash, "/system/booking".
func (f file) imports() []string {
	var all []string
	for _, spec := range f.syntax.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			panic("house: the parser has accepted import " + spec.Path.Value)
		}
		all = append(all, strings.TrimPrefix(name, module))
	}
	return all
}

func own(imported string) bool { return strings.HasPrefix(imported, "/") }

// standard: the standard library's paths have no dot in their first part.
func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !own(imported) && !strings.Contains(first, ".")
}

// within reports whether a folder is one of the trees, or below one.
func within(dir string, trees ...string) bool {
	for _, tree := range trees {
		if dir == tree || strings.HasPrefix(dir, tree+"/") {
			return true
		}
	}
	return false
}

// borders is the table of import directions. bad reports whether a file may not have this import.
var borders = []struct {
	name string
	bad  func(f file, imported string) bool
}{
	{"only serve and sim/target/embedded import system", func(f file, imported string) bool {
		serve := strings.HasPrefix(f.path, "cmd/gatecrash/serve")
		return within(imported, "/system") && !within(f.dir(), "system", "sim/target/embedded") && !serve
	}},
	{"system knows nothing of the harness", func(f file, imported string) bool {
		return within(f.dir(), "system") && within(imported, "/sim", "/reports", "/scenarios", "/cmd")
	}},
	{"booking is standard library only", func(f file, imported string) bool {
		return f.dir() == "system/booking" && !f.test && !standard(imported)
	}},
	{"result is standard library only", func(f file, imported string) bool {
		return f.dir() == "sim/result" && !f.test && !standard(imported)
	}},
	{"reports knows only sim/result of our packages", func(f file, imported string) bool {
		return within(f.dir(), "reports") && own(imported) && !within(imported, "/sim/result", "/reports")
	}},
	{"only cmd wires sim/target/embedded in", func(f file, imported string) bool {
		return within(imported, "/sim/target/embedded") && !within(f.dir(), "cmd", "sim/target/embedded")
	}},
	{"sim knows nothing of reports and cmd", func(f file, imported string) bool {
		return within(f.dir(), "sim") && within(imported, "/reports", "/cmd")
	}},
	{"check shares no code with anything that speaks to servers", func(f file, imported string) bool {
		return f.dir() == "sim/check" && !f.test && within(imported, "/sim/backend", "/sim/fault", "/sim/target/httpclient", "/sim/target/embedded")
	}},
	{"nothing imports a command", func(_ file, imported string) bool { return within(imported, "/cmd") }},
}

// skips lists the files that may skip a test without looking at CI, and why.
var skips = map[string]string{
	"system/internal/servers/servers_test.go": "a server given from outside may have other settings",
}

// manners is the table of everything but imports. Each rule returns what is wrong with a file.
var manners = []struct {
	name  string
	check func(f file) []string
}{
	{"no file too long", func(f file) []string {
		if f.lines > maxFile {
			return []string{"has " + strconv.Itoa(f.lines) + " lines"}
		}
		return nil
	}},
	{"no function too long", longFunctions},
	{"main.go only picks the exit code", func(f file) []string {
		if path.Base(f.path) == "main.go" && f.lines > maxMain {
			return []string{"has " + strconv.Itoa(f.lines) + " lines"}
		}
		return nil
	}},
	{"no skip that CI would not notice", blindSkips},
	{"no global random source", globalRandom},
	{"no init function", func(f file) []string {
		var bad []string
		for _, fn := range functions(f) {
			if fn.Recv == nil && fn.Name.Name == "init" {
				bad = append(bad, "has an init function")
			}
		}
		return bad
	}},
}

func functions(f file) []*ast.FuncDecl {
	var all []*ast.FuncDecl
	for _, d := range f.syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			all = append(all, fn)
		}
	}
	return all
}

// longFunctions leaves tests alone: a table of cases is long and simple.
func longFunctions(f file) []string {
	if f.test {
		return nil
	}
	var bad []string
	for _, fn := range functions(f) {
		if n := f.fset.Position(fn.End()).Line - f.fset.Position(fn.Pos()).Line + 1; n > maxFunction {
			bad = append(bad, "function "+fn.Name.Name+" has "+strconv.Itoa(n)+" lines")
		}
	}
	return bad
}

// blindSkips finds functions that skip a test and never ask whether CI is set.
func blindSkips(f file) []string {
	if skips[f.path] != "" {
		return nil
	}
	var bad []string
	for _, fn := range functions(f) {
		skip, asks := false, false
		ast.Inspect(fn, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				skip = skip || n.Sel.Name == "Skip" || n.Sel.Name == "Skipf" || n.Sel.Name == "SkipNow"
			case *ast.BasicLit:
				asks = asks || n.Value == `"CI"`
			}
			return true
		})
		if skip && !asks {
			bad = append(bad, "function "+fn.Name.Name+" skips without asking for CI")
		}
	}
	return bad
}

// globalRandom finds uses of math/rand's shared source. Making a source of one's own is fine.
func globalRandom(f file) []string {
	names := map[string]bool{}
	for _, spec := range f.syntax.Imports {
		if p := spec.Path.Value; p == `"math/rand"` || p == `"math/rand/v2"` {
			name := "rand"
			if spec.Name != nil {
				name = spec.Name.Name
			}
			names[name] = true
		}
	}
	made := map[string]bool{"New": true, "NewSource": true, "NewPCG": true, "NewChaCha8": true, "NewZipf": true,
		"Rand": true, "Source": true, "Source64": true, "PCG": true, "ChaCha8": true, "Zipf": true}
	var bad []string
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && names[x.Name] && !made[sel.Sel.Name] {
			bad = append(bad, "draws from the global source: "+x.Name+"."+sel.Sel.Name)
		}
		return true
	})
	return bad
}

// undocumented finds packages without a doc.go that has a package comment.
func undocumented(files []file) []string {
	packages, documented := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		if !f.test {
			packages[f.dir()] = true
		}
		if path.Base(f.path) == "doc.go" && f.syntax.Doc != nil {
			documented[f.dir()] = true
		}
	}
	var bad []string
	for dir := range packages {
		if !documented[dir] {
			bad = append(bad, dir+": every package has a doc.go with a comment")
		}
	}
	return bad
}

// violations holds files against every rule: "path: rule: what is wrong".
func violations(files []file) []string {
	bad := undocumented(files)
	for _, f := range files {
		for _, imported := range f.imports() {
			for _, b := range borders {
				if b.bad(f, imported) {
					bad = append(bad, f.path+": "+b.name+": imports "+strings.TrimPrefix(imported, "/"))
				}
			}
		}
		for _, m := range manners {
			for _, what := range m.check(f) {
				bad = append(bad, f.path+": "+m.name+": "+what)
			}
		}
	}
	return bad
}

func parse(t *testing.T, name string, text []byte) file {
	t.Helper()
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file{name, strings.HasSuffix(name, "_test.go"), strings.Count(string(text), "\n"), syntax, fset}
}

// read parses every source of the house. What is not ours (testdata, output of runs, hidden folders) is left out.
func read(t *testing.T, root fs.FS) []file {
	t.Helper()
	var files []file
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if d.IsDir() && name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "runs" || base == "bin") {
			return fs.SkipDir
		}
		if d.IsDir() || path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err == nil {
			files = append(files, parse(t, name, text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestHouse(t *testing.T) {
	files := read(t, os.DirFS(".."))
	if len(files) < 50 {
		t.Fatalf("read %d sources; the house has more", len(files))
	}
	for _, v := range violations(files) {
		t.Error(v)
	}
}
