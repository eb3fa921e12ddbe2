// The program proof reads the lines of a direction and writes what the package made of each. `cargo xtask packages go`
// runs it.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	claw "github.com/claw-rs/claw-protocol-go"
)

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	switch os.Args[1] {
	case "stdout":
		prove[claw.StdoutMessage](out, claw.NewStdoutReader(os.Stdin))
	case "stdin":
		prove[claw.StdinMessage](out, claw.NewStdinReader(os.Stdin))
	case "transcript":
		prove[claw.Entry](out, claw.NewEntryReader(os.Stdin))
	}
}

func prove[T any](out io.Writer, reader *claw.Reader[T]) {
	for {
		message, err := reader.Next()
		var wrong *claw.LineError
		switch {
		case errors.Is(err, io.EOF):
			return
		case errors.As(err, &wrong):
			fmt.Fprintf(out, "error\t%s\t%s\n", wrong.Path, strings.ReplaceAll(wrong.Reason, "\t", " "))
			continue
		case err != nil:
			panic(err)
		}
		var line bytes.Buffer
		if err := claw.WriteLine(&line, message); err != nil {
			panic(err)
		}
		if _, ok := any(message).(*claw.Unknown); ok {
			fmt.Fprintf(out, "unknown\t%s", line.Bytes())
			continue
		}
		kind := reflect.TypeOf(message).Elem().Name()
		if request, ok := any(message).(*claw.ControlRequest); ok {
			if _, ok := request.Request.(*claw.Unknown); !ok {
				kind += "/" + reflect.TypeOf(request.Request).Elem().Name()
			}
		}
		fmt.Fprintf(out, "read\t%s\t%d\t%s", kind, unknown(reflect.ValueOf(message)), line.Bytes())
	}
}

var unknownType = reflect.TypeOf(claw.Unknown{})

// unknown returns the number of unknown values in a value.
func unknown(value reflect.Value) int {
	count := 0
	switch value.Kind() {
	case reflect.Interface, reflect.Ptr:
		if !value.IsNil() {
			return unknown(value.Elem())
		}
	case reflect.Struct:
		if value.Type() == unknownType {
			return 1
		}
		for i := 0; i < value.NumField(); i++ {
			count += unknown(value.Field(i))
		}
	case reflect.Slice:
		if value.Type().Elem().Kind() != reflect.Uint8 {
			for i := 0; i < value.Len(); i++ {
				count += unknown(value.Index(i))
			}
		}
	case reflect.Map:
		for _, key := range value.MapKeys() {
			count += unknown(value.MapIndex(key))
		}
	}
	return count
}
