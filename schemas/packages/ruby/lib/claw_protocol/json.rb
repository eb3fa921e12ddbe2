# frozen_string_literal: true

require "strscan"

module ClawProtocol
  # A line or a value that cannot be read.
  class LineError < StandardError
    # @return [String] The path of the mistake, such as `message.content[2].type`. It is empty if the line as a whole is
    #   wrong.
    attr_reader :path
    # @return [String] What is wrong.
    attr_reader :reason
    # @return [Integer, nil] The number of the line, from 1, if a {Reader} read it.
    attr_accessor :line
    # @return [String, nil] The line as it came, if a {Reader} read it. A line that is too long is nil. A line that is JSON
    #   in a wrong form still has an ID or a type: `ClawProtocol::Parser.parse(error.text)`.
    attr_accessor :text

    # @param steps [Array<String, Integer>] the keys and indexes of the path
    def initialize(reason, steps = [])
      @reason = reason
      @path = steps.map { |step| step.is_a?(Integer) ? "[#{step}]" : ".#{step}" }.join.delete_prefix(".")
      super(@path.empty? ? reason : "#{@path}: #{reason}")
    end
  end

  # A number that neither a Float nor an Integer holds exactly. It is written as it came.
  class Decimal
    # @return [String] The number as it was written.
    attr_reader :to_s

    def initialize(text)
      @to_s = text.dup.freeze
      freeze
    end

    # @return [Float] The nearest number that a Float holds.
    def to_f = @to_s.to_f

    # @return [String] The number as it was written.
    def to_json(*) = @to_s

    def ==(other) = other.is_a?(Decimal) && other.to_s == @to_s
    alias eql? ==

    def hash = @to_s.hash
  end

  # Reads JSON. It is stricter than Ruby's own parser, and loses less: half of a surrogate pair stays in a String as the
  # three bytes that UTF-8 would have for it (such a String is not `valid_encoding?`), a number that a Float does not hold
  # is a {Decimal}, and a key that occurs twice with two values is an error.
  class Parser
    # The levels that a line may have.
    MAX_DEPTH = 512

    PLAIN = /[^"\\\x00-\x1f]*/
    SPACE = /[ \t\r\n]*/
    # A string without escapes.
    WHOLE = /"([^"\\\x00-\x1f]*)"/
    OPEN = /[{\[][ \t\r\n]*/
    COLON = /[ \t\r\n]*:[ \t\r\n]*/
    COMMA = /[ \t\r\n]*,[ \t\r\n]*/
    CLOSE_OBJECT = /[ \t\r\n]*}/
    CLOSE_ARRAY = /[ \t\r\n]*\]/
    NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/
    ESCAPES = { '"' => '"', "\\" => "\\", "/" => "/", "b" => "\b", "f" => "\f", "n" => "\n", "r" => "\r", "t" => "\t" }.freeze
    private_constant :PLAIN, :SPACE, :WHOLE, :OPEN, :COLON, :COMMA, :CLOSE_OBJECT, :CLOSE_ARRAY, :NUMBER, :ESCAPES

    # @param text [String] one JSON value, and nothing else
    # @return [Object] a Hash, an Array, a String, an Integer, a Float, a {Decimal}, true, false or nil
    # @raise [LineError]
    def self.parse(text) = new(text).parse

    def initialize(text)
      text = text.dup.force_encoding(Encoding::UTF_8) unless text.encoding == Encoding::UTF_8
      raise LineError, "the line is not UTF-8" unless text.valid_encoding?

      @scanner = StringScanner.new(text)
      @steps = []
    end

    # Reads the value.
    def parse
      @scanner.skip(SPACE)
      value = value(0)
      @scanner.skip(SPACE)
      fail_here unless @scanner.eos?
      value
    end

    private

    def fail_here
      raise LineError, "no JSON at byte #{@scanner.pos}"
    end

    def value(depth)
      fail_here if depth > MAX_DEPTH
      case @scanner.peek(1)
      when '"' then string
      when "{" then object(depth)
      when "[" then array(depth)
      when "t" then @scanner.skip(/true/) ? true : fail_here
      when "f" then @scanner.skip(/false/) ? false : fail_here
      when "n" then @scanner.skip(/null/) ? nil : fail_here
      else number
      end
    end

    def object(depth)
      members = {}
      @scanner.skip(OPEN)
      return members if @scanner.skip(/}/)

      loop do
        key = string
        fail_here unless @scanner.skip(COLON)
        @steps.push(key)
        value = value(depth + 1)
        if members.key?(key) && Writer.text(members[key]) != Writer.text(value)
          raise LineError.new("the key occurs twice", @steps)
        end

        members[key] = value
        @steps.pop
        next if @scanner.skip(COMMA)
        return members if @scanner.skip(CLOSE_OBJECT)

        fail_here
      end
    end

    def array(depth)
      items = []
      @scanner.skip(OPEN)
      return items if @scanner.skip(/\]/)

      loop do
        @steps.push(items.length)
        items << value(depth + 1)
        @steps.pop
        next if @scanner.skip(COMMA)
        return items if @scanner.skip(CLOSE_ARRAY)

        fail_here
      end
    end

    def string
      return @scanner[1] if @scanner.skip(WHOLE)

      fail_here unless @scanner.skip(/"/)
      text = @scanner.scan(PLAIN)
      until @scanner.skip(/"/)
        fail_here unless @scanner.skip(/\\/)
        if (letter = ESCAPES[@scanner.peek(1)])
          @scanner.pos += 1
          text << letter
        else
          append_unit(text)
        end
        text << @scanner.scan(PLAIN)
      end
      text
    end

    # Reads `\u1234`, of which the backslash is read, and the second half of a surrogate pair if it follows.
    def append_unit(text)
      fail_here unless @scanner.skip(/u(\h{4})/)
      unit = @scanner[1].hex
      if unit.between?(0xd800, 0xdbff) && @scanner.skip(/\\u([dD][c-fC-F]\h\h)/)
        unit = 0x10000 + ((unit - 0xd800) << 10) + @scanner[1].hex - 0xdc00
      end
      if unit.between?(0xd800, 0xdfff)
        text << [0xe0 | unit >> 12, 0x80 | unit >> 6 & 0x3f, 0x80 | unit & 0x3f].pack("C*").force_encoding(Encoding::UTF_8)
      else
        text << unit
      end
    end

    def number
      text = @scanner.scan(NUMBER) or fail_here
      # An Integer has no sign for zero.
      return text == "-0" ? Decimal.new(text) : text.to_i unless @scanner[1] || @scanner[2]
      # No Float has such an exponent, or Ruby warns of it.
      return Decimal.new(text) if @scanner[2].to_s.delete("eE").to_i.abs > 300

      float = text.to_f
      float.finite? && Parser.digits(float.to_s) == Parser.digits(text) ? float : Decimal.new(text)
    end

    # Returns the digits of a number and the power of ten of the last one, to compare numbers exactly.
    def self.digits(text)
      match = NUMBER.match(text)
      mantissa = match[0].delete_suffix(match[2].to_s)
      fraction = match[1].to_s.length - 1
      digits = mantissa.delete(".")
      stripped = digits.sub(/0+\z/, "")
      zeros = digits.length - stripped.length
      exponent = match[2].to_s.delete("eE").to_i - [fraction, 0].max + zeros
      negative = stripped.start_with?("-")
      stripped = stripped.delete("-").sub(/\A0+/, "")
      [negative, stripped, stripped.empty? ? 0 : exponent]
    end
  end

  # Writes JSON.
  module Writer
    ESCAPED = /["\\\x00-\x1f]/
    HALF = /\xED([\xA0-\xBF])([\x80-\xBF])/n
    private_constant :ESCAPED, :HALF

    # Returns the JSON of a value.
    def self.text(value) = write(value, +"")

    # Appends the JSON of a value.
    # @param out [String]
    def self.write(value, out)
      case value
      when String then write_string(value, out)
      when Symbol then write_string(value.name, out)
      when Record then value.write(out)
      when Unknown then write(value.json, out)
      when Integer, Decimal then out << value.to_s
      when Float
        raise ArgumentError, "#{value} has no JSON" unless value.finite?

        out << value.to_s
      when true, false then out << value.to_s
      when nil, NULL then out << "null"
      when Array then write_list(value, out)
      when Hash then write_hash(value, out)
      else raise ArgumentError, "#{value.class} has no JSON"
      end
    end

    def self.write_list(list, out)
      out << "["
      list.each_with_index do |item, index|
        out << "," if index.positive?
        write(item, out)
      end
      out << "]"
    end

    def self.write_hash(hash, out)
      out << "{"
      hash.each_with_index do |(key, value), index|
        out << "," if index.positive?
        write_string(key.to_s, out)
        out << ":"
        write(value, out)
      end
      out << "}"
    end

    def self.write_string(text, out)
      text = text.encode(Encoding::UTF_8) unless text.encoding == Encoding::UTF_8
      text = text.valid_encoding? ? escape(text) : escape_halves(text)
      out << '"' << text << '"'
    end

    def self.escape(text)
      return text unless ESCAPED.match?(text)

      text.gsub(ESCAPED) { |letter| letter.ord < 32 ? format("\\u%04x", letter.ord) : "\\#{letter}" }
    end

    # Writes the three bytes of half of a surrogate pair as its escape. Other bytes that are not UTF-8 are replaced.
    def self.escape_halves(text)
      escaped = escape(text.b).gsub(HALF) do
        format("\\ud%03x", ($1.ord & 0x3f) << 6 | ($2.ord & 0x3f))
      end
      escaped.force_encoding(Encoding::UTF_8).scrub("\ufffd")
    end
    private_class_method :write_list, :write_hash, :write_string, :escape, :escape_halves
  end
end
