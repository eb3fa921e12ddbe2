# frozen_string_literal: true

module ClawProtocol
  # The types of the lines of each direction.
  DIRECTIONS = { stdout: :StdoutMessage, stdin: :StdinMessage, transcript: :Entry }.freeze

  # Reads a line that claude wrote to its stdout.
  # @param line [String]
  # @return [StdoutMessage, Unknown]
  # @raise [LineError]
  def self.read_stdout(line) = read_line(line, :stdout)

  # Reads a line that a host wrote to the stdin of claude.
  # @return [StdinMessage, Unknown]
  # @raise [LineError]
  def self.read_stdin(line) = read_line(line, :stdin)

  # Reads a line of a session's file on disk.
  # @return [Entry, Unknown]
  # @raise [LineError]
  def self.read_entry(line) = read_line(line, :transcript)

  # Reads a line of a direction: `:stdout`, `:stdin` or `:transcript`.
  # @raise [LineError]
  def self.read_line(line, direction)
    json = Parser.parse(line)
    raise LineError, "#{Types.name_of(json)} in place of an object" unless json.is_a?(Hash)

    Types.read(DIRECTIONS.fetch(direction), json, [])
  end

  # Whether a message of claude is a result, which ends its turn. A result of a newer CLI is an {Unknown}.
  # @param message [Record, Unknown]
  def self.result?(message)
    case message
    when ResultSuccess, ResultError then true
    when Unknown then message.json["type"] == "result"
    else false
    end
  end

  # Writes a message as a line, with one call of `write`.
  # @param io [#write]
  # @param message [Record, Unknown]
  def self.write_line(io, message)
    out = +""
    Writer.write(message, out)
    io.write(out << "\n")
  end

  # Reads the lines of one direction.
  class Reader
    # The bytes that a line may have.
    MAX_LINE = 64 << 20

    # @param io [IO] where the lines come from
    # @param direction [Symbol] `:stdout`, `:stdin` or `:transcript`
    def initialize(io, direction = :stdout)
      @io = io
      @direction = direction
      @number = 0
    end

    # Returns the next message. Blank lines are skipped.
    # @return [Record, Unknown, nil] nil at the end
    # @raise [LineError] if the line cannot be read. The line after it can be read then.
    def next
      line = nil
      while (line = next_line)
        return ClawProtocol.read_line(line, @direction) unless line.strip.empty?
      end
    rescue LineError => e
      e.line = @number
      e.text = line
      raise
    end

    # Yields each message, or nil and the {LineError} of a line that cannot be read.
    # @yieldparam message [Record, Unknown, nil]
    # @yieldparam error [LineError, nil]
    def each
      return enum_for(:each) unless block_given?

      loop do
        message = self.next
        return self if message.nil?

        yield message, nil
      rescue LineError => e
        yield nil, e
      end
    end

    private

    # Returns the next line as bytes. A line over the limit is passed, but not kept.
    def next_line
      line = @io.gets("\n", MAX_LINE + 1)
      return nil if line.nil?

      @number += 1
      return line.b if line.bytesize <= MAX_LINE || line.end_with?("\n")

      line = @io.gets("\n", MAX_LINE) until line.nil? || line.end_with?("\n")
      raise LineError, "the line has more than #{MAX_LINE} bytes"
    end
  end
end
