package claw

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// A LineError says what is wrong with a line. The lines after it can be read.
type LineError struct {
	// Line is the number of the line, from 1. It is 0 if the value was not read by a Reader.
	Line int
	// Path leads to the mistake, such as message.content[2].type. It is empty if the line as a whole is wrong.
	Path string
	// Reason describes the mistake.
	Reason string
}

func (e *LineError) Error() string {
	text := "claw: "
	if e.Line > 0 {
		text += fmt.Sprintf("line %d: ", e.Line)
	}
	if e.Path != "" {
		text += e.Path + ": "
	}
	return text + e.Reason
}

func (f *fault) error(line int) error {
	return &LineError{Line: line, Path: f.path, Reason: f.reason}
}

// Extra has the fields of an object that its type does not know, by their keys.
type Extra map[string]json.RawMessage

// Unknown is a value of a union that this package does not know, or of an internal kind in another form. It is written
// as it came.
type Unknown struct {
	// Raw is the JSON of the value.
	Raw json.RawMessage
	// Err says why a value with the tags of a known kind is unknown. It is nil if the tags are unknown.
	Err error
}

// MarshalJSON returns the JSON as it came.
func (u *Unknown) MarshalJSON() ([]byte, error) { return u.Raw, nil }

// Nullable is a field that may be absent, null, or a value. Its zero value is absent.
type Nullable[T any] struct {
	value *T
	null  bool
}

// Null returns a field that is null.
func Null[T any]() Nullable[T] { return Nullable[T]{null: true} }

// Some returns a field with a value.
func Some[T any](value T) Nullable[T] { return Nullable[T]{value: &value} }

// Get returns the value. ok is false if the field is absent or null.
func (n Nullable[T]) Get() (value T, ok bool) {
	if n.value == nil {
		return value, false
	}
	return *n.value, true
}

// IsNull reports whether the field is there, and null.
func (n Nullable[T]) IsNull() bool { return n.null }

// IsAbsent reports whether the field is absent.
func (n Nullable[T]) IsAbsent() bool { return !n.null && n.value == nil }

func (n *Nullable[T]) read(from *node) *fault {
	if from.kind == '0' {
		n.null = true
		return nil
	}
	n.value = new(T)
	return read(from, reflect.ValueOf(n.value).Elem(), false)
}

func (n Nullable[T]) write(out []byte) ([]byte, error) {
	if n.value == nil {
		return append(out, "null"...), nil
	}
	return write(out, reflect.ValueOf(n.value).Elem())
}

type nullable interface {
	IsAbsent() bool
	write(out []byte) ([]byte, error)
}

// Ptr returns a pointer to a value, for fields that may be absent.
func Ptr[T any](value T) *T { return &value }

// A tag is a key that always has the same value, which is given as JSON.
type tag struct {
	key, literal string
}

type tagged interface{ tags() []tag }

// A condition says what an object must have to be a value of a case.
type condition struct {
	key      string
	literals []string // none if any value is accepted
	optional bool
}

type unionCase struct {
	of         any // a value of the type, or a pointer to a variable of an interface type
	shape      byte
	internal   bool
	conditions []condition
	kind       reflect.Type
}

type union []unionCase

var unions = map[reflect.Type]union{}

func addUnion[T any](cases union) {
	for i := range cases {
		kind := reflect.TypeOf(cases[i].of)
		if kind.Kind() == reflect.Ptr && kind.Elem().Kind() == reflect.Interface {
			kind = kind.Elem()
		}
		cases[i].kind = kind
	}
	unions[reflect.TypeOf((*T)(nil)).Elem()] = cases
}

func (c *unionCase) accepts(n *node) bool {
	if c.shape != n.kind {
		return false
	}
	for _, condition := range c.conditions {
		found := n.member(condition.key)
		if found == nil {
			if !condition.optional {
				return false
			}
			continue
		}
		ok := len(condition.literals) == 0
		for _, literal := range condition.literals {
			ok = ok || found.is(literal)
		}
		if !ok {
			return false
		}
	}
	return true
}

// is reports whether the value equals a text or a boolean, which is given as JSON.
func (n *node) is(literal string) bool {
	if string(n.raw) == literal {
		return true
	}
	isEscaped := n.kind == 's' && bytes.IndexByte(n.raw, '\\') >= 0
	return isEscaped && literal[0] == '"' && unquote(n.raw) == unquote([]byte(literal))
}

func (n *node) member(key string) *node {
	for i := range n.members {
		if n.members[i].key == key {
			return &n.members[i].value
		}
	}
	return nil
}

// once returns a fault if a key occurs twice with two values, because two readers could take different ones.
func (n *node) once() *fault {
	var seen map[string][]byte
	if len(n.members) >= 16 {
		seen = make(map[string][]byte, len(n.members))
	}
	for i := range n.members {
		key, raw := n.members[i].key, n.members[i].value.raw
		if seen != nil {
			if other, ok := seen[key]; ok && !bytes.Equal(other, raw) {
				return faultf("the key occurs twice").in(key)
			}
			seen[key] = raw
			continue
		}
		for _, other := range n.members[:i] {
			if other.key == key && !bytes.Equal(other.value.raw, raw) {
				return faultf("the key occurs twice").in(key)
			}
		}
	}
	return nil
}

func (u union) read(n *node, into reflect.Value) *fault {
	if f := n.once(); f != nil {
		return f
	}
	fits := false
	for i := range u {
		c := &u[i]
		fits = fits || c.shape == n.kind
		if !c.accepts(n) {
			continue
		}
		value := reflect.New(c.kind).Elem()
		if f := read(n, value, false); f != nil {
			if !c.internal {
				return f
			}
			into.Set(reflect.ValueOf(&Unknown{Raw: n.clone(), Err: f.error(0)}))
			return nil
		}
		if c.kind.Kind() == reflect.Interface {
			value = value.Elem()
		}
		into.Set(value)
		return nil
	}
	if !fits {
		return faultf("%s where the type has none", n.name())
	}
	into.Set(reflect.ValueOf(&Unknown{Raw: n.clone()}))
	return nil
}

// A plan says how a struct is read and written.
type plan struct {
	fields []field
	byKey  map[string]int // the index in fields
	extra  int
	tags   []tag
}

type field struct {
	index    int
	key      string
	optional bool
	null     bool // a nil value stands for null
}

var plans sync.Map // of reflect.Type to *plan

func planOf(kind reflect.Type) *plan {
	if found, ok := plans.Load(kind); ok {
		return found.(*plan)
	}
	made := &plan{byKey: map[string]int{}}
	for i := 0; i < kind.NumField(); i++ {
		name, optional := kind.Field(i).Tag.Get("json"), false
		if name == "-" {
			made.extra = i
			continue
		}
		if cut := strings.TrimSuffix(name, ",omitempty"); cut != name {
			name, optional = cut, true
		}
		made.byKey[name] = len(made.fields)
		null := kind.Field(i).Tag.Get("claw") == "null"
		made.fields = append(made.fields, field{i, name, optional, null})
	}
	if value, ok := reflect.New(kind).Interface().(tagged); ok {
		made.tags = value.tags()
	}
	plans.Store(kind, made)
	return made
}

func (p *plan) read(n *node, into reflect.Value) *fault {
	if n.kind != 'o' {
		return faultf("%s in place of an object", n.name())
	}
	if f := n.once(); f != nil {
		return f
	}
	for _, tag := range p.tags {
		found := n.member(tag.key)
		if found == nil {
			return faultf("the key is missing").in(tag.key)
		}
		if !found.is(tag.literal) {
			return faultf("not %s", tag.literal).in(tag.key)
		}
	}
	seen := make([]bool, len(p.fields))
	for i := range n.members {
		key, value := n.members[i].key, &n.members[i].value
		at, known := p.byKey[key]
		if known {
			field := &p.fields[at]
			seen[at] = true
			of := into.Field(field.index)
			optional, isNullable := of.Addr().Interface().(interface{ read(*node) *fault })
			switch {
			case isNullable:
				if f := optional.read(value); f != nil {
					return f.in(key)
				}
				continue
			case value.kind == '0' && field.optional && of.Type() != rawType:
				known = false
			default:
				if f := read(value, of, field.null); f != nil {
					return f.in(key)
				}
				continue
			}
		}
		if !known && !p.isTag(key) {
			extra := into.Field(p.extra).Addr().Interface().(*Extra)
			if *extra == nil {
				*extra = Extra{}
			}
			(*extra)[key] = value.clone()
		}
	}
	for at, field := range p.fields {
		if !seen[at] && !field.optional {
			return faultf("the key is missing").in(field.key)
		}
	}
	return nil
}

func (p *plan) isTag(key string) bool {
	for _, tag := range p.tags {
		if tag.key == key {
			return true
		}
	}
	return false
}

var (
	rawType    = reflect.TypeOf(json.RawMessage(nil))
	numberType = reflect.TypeOf(json.Number(""))
)

// read reads a value into a variable. null says that null is a value of it.
func read(n *node, into reflect.Value, null bool) *fault {
	kind := into.Type()
	if kind == rawType {
		into.Set(reflect.ValueOf(n.clone()))
		return nil
	}
	if n.kind == '0' {
		if null || (kind.Kind() == reflect.Ptr && kind.Elem().Kind() != reflect.Struct) {
			into.Set(reflect.Zero(kind))
			return nil
		}
		return faultf("null where the type has none")
	}
	expect := func(shape byte) *fault {
		if n.kind != shape {
			return faultf("%s in place of %s", n.name(), names[shape])
		}
		return nil
	}
	switch kind.Kind() {
	case reflect.Interface:
		return unions[kind].read(n, into)
	case reflect.Ptr:
		into.Set(reflect.New(kind.Elem()))
		return read(n, into.Elem(), false)
	case reflect.Struct:
		return planOf(kind).read(n, into)
	case reflect.Slice:
		if f := expect('a'); f != nil {
			return f
		}
		into.Set(reflect.MakeSlice(kind, len(n.items), len(n.items)))
		for i := range n.items {
			if f := read(&n.items[i], into.Index(i), false); f != nil {
				return f.at(i)
			}
		}
	case reflect.Map:
		if f := expect('o'); f != nil {
			return f
		}
		if f := n.once(); f != nil {
			return f
		}
		into.Set(reflect.MakeMapWithSize(kind, len(n.members)))
		for i := range n.members {
			item := reflect.New(kind.Elem()).Elem()
			if f := read(&n.members[i].value, item, false); f != nil {
				return f.in(n.members[i].key)
			}
			into.SetMapIndex(reflect.ValueOf(n.members[i].key), item)
		}
	case reflect.String:
		if kind == numberType {
			if f := expect('n'); f != nil {
				return f
			}
			into.SetString(string(n.raw))
			return nil
		}
		if f := expect('s'); f != nil {
			return f
		}
		into.SetString(unquote(n.raw))
	case reflect.Bool:
		if f := expect('b'); f != nil {
			return f
		}
		into.SetBool(n.raw[0] == 't')
	case reflect.Int64:
		if f := expect('n'); f != nil {
			return f
		}
		value, err := strconv.ParseInt(string(n.raw), 10, 64)
		if err != nil {
			return faultf("%s is no integer of 64 bits", n.raw)
		}
		into.SetInt(value)
	default:
		return faultf("the package has no reader for %s", kind)
	}
	return nil
}

// write appends the JSON of a value.
func write(out []byte, value reflect.Value) ([]byte, error) {
	if value.Type() == rawType {
		if value.IsNil() {
			return append(out, "null"...), nil
		}
		return append(out, value.Bytes()...), nil
	}
	switch value.Kind() {
	case reflect.Interface, reflect.Ptr:
		if value.IsNil() {
			return append(out, "null"...), nil
		}
		if unknown, ok := value.Interface().(*Unknown); ok {
			return append(out, unknown.Raw...), nil
		}
		return write(out, value.Elem())
	case reflect.Struct:
		return planOf(value.Type()).write(out, value)
	case reflect.Slice:
		if value.IsNil() {
			return append(out, "[]"...), nil
		}
		out = append(out, '[')
		for i := 0; i < value.Len(); i++ {
			if i > 0 {
				out = append(out, ',')
			}
			var err error
			if out, err = write(out, value.Index(i)); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	case reflect.Map:
		return writeMap(out, value)
	case reflect.String:
		if value.Type() == numberType {
			return writeNumber(out, value.String())
		}
		return appendString(out, value.String()), nil
	case reflect.Bool:
		return strconv.AppendBool(out, value.Bool()), nil
	case reflect.Int64:
		return strconv.AppendInt(out, value.Int(), 10), nil
	}
	return nil, fmt.Errorf("claw: no writer for %s", value.Type())
}

func writeNumber(out []byte, number string) ([]byte, error) {
	p := parser{text: []byte(number)}
	if !p.number() || p.at != len(number) {
		return nil, fmt.Errorf("claw: %q is no number", number)
	}
	return append(out, number...), nil
}

func writeMap(out []byte, value reflect.Value) ([]byte, error) {
	keys := make([]string, 0, value.Len())
	for _, key := range value.MapKeys() {
		keys = append(keys, key.String())
	}
	sort.Strings(keys)
	out = append(out, '{')
	for i, key := range keys {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendString(out, key), ':')
		var err error
		if out, err = write(out, value.MapIndex(reflect.ValueOf(key))); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

func (p *plan) write(out []byte, value reflect.Value) ([]byte, error) {
	start := len(out)
	begin := func(key string) {
		separator := byte(',')
		if len(out) == start {
			separator = '{'
		}
		out = append(appendString(append(out, separator), key), ':')
	}
	for _, tag := range p.tags {
		begin(tag.key)
		out = append(out, tag.literal...)
	}
	extra := value.Field(p.extra).Interface().(Extra)
	written := 0
	for _, field := range p.fields {
		of := value.Field(field.index)
		_, inExtra := extra[field.key]
		if field.optional && isAbsent(of) {
			continue
		}
		if inExtra {
			written++
		}
		if !field.optional && !field.null && of.Kind() == reflect.Interface && of.IsNil() {
			return nil, fmt.Errorf("claw: %s.%s is required", value.Type().Name(), value.Type().Field(field.index).Name)
		}
		begin(field.key)
		var err error
		switch optional, ok := of.Interface().(nullable); {
		case ok:
			out, err = optional.write(out)
		case field.null && (of.Kind() == reflect.Slice || of.Kind() == reflect.Map) && of.IsNil():
			out = append(out, "null"...)
		default:
			out, err = write(out, of)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(extra) > written {
		keys := make([]string, 0, len(extra))
		for key := range extra {
			at, known := p.byKey[key]
			if p.isTag(key) || (known && !(p.fields[at].optional && isAbsent(value.Field(p.fields[at].index)))) {
				continue
			}
			keys = append(keys, key)
		}
		sort.Strings(keys)
		for _, key := range keys {
			begin(key)
			out = append(out, extra[key]...)
		}
	}
	if len(out) == start {
		out = append(out, '{')
	}
	return append(out, '}'), nil
}

func isAbsent(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.Ptr, reflect.Interface, reflect.Slice, reflect.Map:
		return value.IsNil()
	}
	optional, ok := value.Interface().(nullable)
	return ok && optional.IsAbsent()
}

// marshal returns the JSON of what a pointer points to.
func marshal(pointer any) ([]byte, error) {
	return write(nil, reflect.ValueOf(pointer).Elem())
}

// unmarshal reads JSON into what a pointer points to.
func unmarshal(data []byte, pointer any) error {
	n, f := parse(data)
	if f == nil {
		into := reflect.ValueOf(pointer).Elem()
		into.Set(reflect.Zero(into.Type()))
		f = read(&n, into, false)
	}
	if f != nil {
		return f.error(0)
	}
	return nil
}

func readResponse[T any](response json.RawMessage) (value T, err error) {
	if response == nil {
		return value, nil
	}
	return value, unmarshal(response, &value)
}
