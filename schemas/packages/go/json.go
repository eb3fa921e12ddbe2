package claw

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is the number of levels that a line may have. Deeper lines are refused, so that no line exhausts the stack.
const maxDepth = 512

// A node is a JSON value as it was read. raw is its text.
type node struct {
	kind    byte // 'o', 'a', 's', 'n', 'b', or '0' for null
	raw     []byte
	items   []node
	members []member
}

type member struct {
	key   string
	value node
}

// A fault is a mistake in a value, with the path to it. The path is written from the inside to the outside.
type fault struct {
	path   string
	reason string
}

func faultf(format string, values ...any) *fault {
	return &fault{reason: fmt.Sprintf(format, values...)}
}

func (f *fault) in(key string) *fault {
	if f.path != "" && f.path[0] != '[' {
		key += "."
	}
	f.path = key + f.path
	return f
}

func (f *fault) at(index int) *fault {
	return f.in("[" + strconv.Itoa(index) + "]")
}

type parser struct {
	text []byte
	at   int
}

// parse reads a text that has one JSON value and nothing else.
func parse(text []byte) (node, *fault) {
	if !utf8.Valid(text) {
		return node{}, faultf("the line is not UTF-8")
	}
	p := parser{text: text}
	p.space()
	value, ok := p.value(0)
	if ok {
		p.space()
		ok = p.at == len(text)
	}
	if !ok {
		return node{}, faultf("no JSON at byte %d", p.at)
	}
	return value, nil
}

func (p *parser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\r', '\n':
			p.at++
		default:
			return
		}
	}
}

// next passes a byte after white space, if it is the next one.
func (p *parser) next(expected byte) bool {
	p.space()
	if p.at < len(p.text) && p.text[p.at] == expected {
		p.at++
		return true
	}
	return false
}

func (p *parser) value(depth int) (node, bool) {
	if p.at == len(p.text) || depth > maxDepth {
		return node{}, false
	}
	start := p.at
	value := node{}
	ok := true
	switch first := p.text[p.at]; first {
	case '{':
		value.kind = 'o'
		value.members, ok = p.object(depth)
	case '[':
		value.kind = 'a'
		value.items, ok = p.array(depth)
	case '"':
		value.kind = 's'
		ok = p.string()
	case 't', 'f':
		value.kind = 'b'
		ok = p.word(strconv.FormatBool(first == 't'))
	case 'n':
		value.kind = '0'
		ok = p.word("null")
	default:
		value.kind = 'n'
		ok = p.number()
	}
	value.raw = p.text[start:p.at]
	return value, ok
}

func (p *parser) word(word string) bool {
	if len(p.text)-p.at < len(word) || string(p.text[p.at:p.at+len(word)]) != word {
		return false
	}
	p.at += len(word)
	return true
}

func (p *parser) object(depth int) ([]member, bool) {
	p.at++
	if p.next('}') {
		return nil, true
	}
	var members []member
	for {
		p.space()
		start := p.at
		if !p.string() {
			return nil, false
		}
		key := unquote(p.text[start:p.at])
		if !p.next(':') {
			return nil, false
		}
		p.space()
		value, ok := p.value(depth + 1)
		if !ok {
			return nil, false
		}
		members = append(members, member{key, value})
		if p.next('}') {
			return members, true
		}
		if !p.next(',') {
			return nil, false
		}
	}
}

func (p *parser) array(depth int) ([]node, bool) {
	p.at++
	if p.next(']') {
		return nil, true
	}
	var items []node
	for {
		p.space()
		value, ok := p.value(depth + 1)
		if !ok {
			return nil, false
		}
		items = append(items, value)
		if p.next(']') {
			return items, true
		}
		if !p.next(',') {
			return nil, false
		}
	}
}

func (p *parser) string() bool {
	if p.at == len(p.text) || p.text[p.at] != '"' {
		return false
	}
	for p.at++; p.at < len(p.text); p.at++ {
		switch letter := p.text[p.at]; {
		case letter == '"':
			p.at++
			return true
		case letter < ' ':
			return false
		case letter == '\\':
			if p.at++; p.at == len(p.text) {
				return false
			}
			switch p.text[p.at] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if _, ok := hex(p.text[p.at+1:]); !ok {
					return false
				}
				p.at += 4
			default:
				return false
			}
		}
	}
	return false
}

func (p *parser) digits() bool {
	start := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	return p.at > start
}

func (p *parser) passes(letters string) bool {
	for i := 0; p.at < len(p.text) && i < len(letters); i++ {
		if p.text[p.at] == letters[i] {
			p.at++
			return true
		}
	}
	return false
}

func (p *parser) number() bool {
	p.passes("-")
	if !p.passes("0") && !p.digits() {
		return false
	}
	if p.passes(".") && !p.digits() {
		return false
	}
	if p.passes("eE") {
		p.passes("+-")
		return p.digits()
	}
	return true
}

// hex reads the four digits of an escape.
func hex(text []byte) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	value, err := strconv.ParseUint(string(text[:4]), 16, 16)
	return rune(value), err == nil && text[0] != '+' && text[0] != '-'
}

// unquote returns the text of a JSON string. Half of a surrogate pair, which UTF-8 cannot have, becomes the three bytes
// that it would have there. appendString writes these bytes as the escape again.
func unquote(raw []byte) string {
	raw = raw[1 : len(raw)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	text := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			text = append(text, raw[i])
			continue
		}
		i++
		switch raw[i] {
		case 'b':
			text = append(text, '\b')
		case 'f':
			text = append(text, '\f')
		case 'n':
			text = append(text, '\n')
		case 'r':
			text = append(text, '\r')
		case 't':
			text = append(text, '\t')
		case 'u':
			unit, _ := hex(raw[i+1:])
			i += 4
			if !utf16.IsSurrogate(unit) {
				text = utf8.AppendRune(text, unit)
				continue
			}
			if i+6 < len(raw) && raw[i+1] == '\\' && raw[i+2] == 'u' {
				second, _ := hex(raw[i+3:])
				if pair := utf16.DecodeRune(unit, second); pair != utf8.RuneError {
					text = utf8.AppendRune(text, pair)
					i += 6
					continue
				}
			}
			text = append(text, 0xe0|byte(unit>>12), 0x80|byte(unit>>6)&0xbf, 0x80|byte(unit)&0xbf)
		default:
			text = append(text, raw[i])
		}
	}
	return string(text)
}

const hexDigits = "0123456789abcdef"

// appendString writes a text as a JSON string.
func appendString(out []byte, text string) []byte {
	out = append(out, '"')
	for i := 0; i < len(text); {
		letter := text[i]
		if letter < utf8.RuneSelf {
			switch {
			case letter == '"' || letter == '\\':
				out = append(out, '\\', letter)
			case letter < ' ':
				out = append(out, `\u00`...)
				out = append(out, hexDigits[letter>>4], hexDigits[letter&15])
			default:
				out = append(out, letter)
			}
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case size > 1:
			out = append(out, text[i:i+size]...)
		case letter == 0xed && len(text)-i > 2 && text[i+1] >= 0xa0 && text[i+1] < 0xc0 && text[i+2]&0xc0 == 0x80:
			unit := rune(0xd000) | rune(text[i+1]&0x3f)<<6 | rune(text[i+2]&0x3f)
			out = append(out, '\\', 'u')
			for shift := 12; shift >= 0; shift -= 4 {
				out = append(out, hexDigits[unit>>shift&15])
			}
			size = 3
		default:
			out = append(out, "\ufffd"...)
		}
		i += size
	}
	return append(out, '"')
}

// clone returns a copy of the value's text, so that a value does not depend on the line that it came from.
func (n *node) clone() json.RawMessage {
	return append(json.RawMessage(nil), n.raw...)
}

// name returns what a reader of an error calls the kind of the value.
func (n *node) name() string {
	return names[n.kind]
}

var names = map[byte]string{
	'o': "an object", 'a': "an array", 's': "a string", 'n': "a number", 'b': "a boolean", '0': "null",
}
