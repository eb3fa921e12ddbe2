// Package claw has the types of the stream-json protocol of the claude CLI (--input-format stream-json --output-format
// stream-json --verbose), and reads and writes its lines without loss.
//
// A union such as [StdoutMessage] or [ContentBlock] is an interface: use a type switch. A value of a kind that this
// package does not know is an [*Unknown]. Fields that a type does not know are in its Extra. Both are written as they
// came.
package claw

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// MaxLine is the number of bytes that a line may have.
const MaxLine = 64 << 20

// ReadStdout reads a line that claude wrote to its stdout.
func ReadStdout(line []byte) (StdoutMessage, error) { return readLine[StdoutMessage](line, 0) }

// ReadStdin reads a line that a host wrote to the stdin of claude.
func ReadStdin(line []byte) (StdinMessage, error) { return readLine[StdinMessage](line, 0) }

// ReadEntry reads a line of a session's file on disk.
func ReadEntry(line []byte) (Entry, error) { return readLine[Entry](line, 0) }

func readLine[T any](line []byte, number int) (T, error) {
	var value T
	n, f := parse(line)
	if f == nil {
		f = read(&n, reflect.ValueOf(&value).Elem(), false)
	}
	if f != nil {
		return value, f.error(number)
	}
	return value, nil
}

// A Reader reads lines of one direction.
type Reader[T any] struct {
	from *bufio.Reader
	line int
}

// NewStdoutReader returns a reader of what claude writes.
func NewStdoutReader(from io.Reader) *Reader[StdoutMessage] {
	return &Reader[StdoutMessage]{from: bufio.NewReader(from)}
}

// NewStdinReader returns a reader of what claude reads.
func NewStdinReader(from io.Reader) *Reader[StdinMessage] {
	return &Reader[StdinMessage]{from: bufio.NewReader(from)}
}

// NewEntryReader returns a reader of a session's file on disk.
func NewEntryReader(from io.Reader) *Reader[Entry] {
	return &Reader[Entry]{from: bufio.NewReader(from)}
}

// Next reads the next line. Blank lines are skipped. The error is io.EOF at the end, and a [*LineError] for a line that
// cannot be read; the line after it can be read then. Any other error is one of the underlying reader.
func (r *Reader[T]) Next() (T, error) {
	var none T
	for {
		line, err := r.next()
		if err != nil {
			return none, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return readLine[T](line, r.line)
		}
	}
}

// next returns the next line without its end. A line over the limit is passed, but not kept.
func (r *Reader[T]) next() ([]byte, error) {
	var line []byte
	length := 0
	for {
		piece, err := r.from.ReadSlice('\n')
		if length += len(piece); length <= MaxLine {
			line = append(line, piece...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (!errors.Is(err, io.EOF) || length == 0) {
			return nil, err
		}
		r.line++
		if length > MaxLine {
			return nil, &LineError{Line: r.line, Reason: fmt.Sprintf("the line has more than %d bytes", MaxLine)}
		}
		return line, nil
	}
}

// WriteLine writes a message as a line, with one call of Write.
func WriteLine(to io.Writer, message any) error {
	value := reflect.ValueOf(message)
	if !value.IsValid() {
		return errors.New("claw: no message")
	}
	var line []byte
	var err error
	if unknown, ok := message.(*Unknown); ok {
		line = append(line, unknown.Raw...)
	} else if line, err = write(nil, value); err != nil {
		return err
	}
	if bytes.IndexByte(line, '\n') >= 0 {
		// White space in a value that is kept as it came. In a text it would be escaped.
		line = bytes.ReplaceAll(line, []byte{'\n'}, []byte{' '})
	}
	_, err = to.Write(append(line, '\n'))
	return err
}
