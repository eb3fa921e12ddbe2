# frozen_string_literal: true

module ClawProtocol
  # Null, as the value of a field that may also be absent.
  NULL = Object.new
  def NULL.inspect = "ClawProtocol::NULL"
  def NULL.to_json(*) = "null"
  NULL.freeze

  # A value of a union that this package does not know, or of an internal kind in another form. It is written as it came.
  class Unknown
    # @return [Object] the JSON of the value
    attr_reader :json
    # @return [LineError, nil] why a value with the tags of a known kind is unknown
    attr_reader :error

    def initialize(json, error = nil)
      @json = json
      @error = error
    end

    def ==(other) = other.is_a?(Unknown) && other.json == @json

    # @return [String] the value as it came
    def to_json(*) = Writer.text(self)
  end

  # Reads values into the types of this package. A type is `:string`, `:boolean`, `:integer`, `:number`, `:json`,
  # `[:list, type]`, `[:map, type]`, `[:nullable, type]`, or the name of a class or of a union.
  module Types
    SHAPES = { Hash => :object, Array => :array, String => :string, Integer => :number, Float => :number,
               Decimal => :number, TrueClass => :boolean, FalseClass => :boolean }.freeze
    NAMES = { object: "an object", array: "an array", string: "a string", number: "a number", boolean: "a boolean" }.freeze

    # @param steps [Array<String, Integer>] the path of the value
    def self.read(type, json, steps)
      case type
      when :json then json
      when :string then json.is_a?(String) ? json : refuse(json, "a string", steps)
      when :boolean then json == true || json == false ? json : refuse(json, "a boolean", steps)
      when :integer then json.is_a?(Integer) ? json : refuse(json, "an integer", steps)
      when :number then SHAPES[json.class] == :number ? json : refuse(json, "a number", steps)
      when Array then read_many(type, json, steps)
      else ClawProtocol.const_get(type).read(json, steps)
      end
    end

    def self.read_many((kind, type), json, steps)
      case kind
      when :nullable then json.nil? ? nil : read(type, json, steps)
      when :list
        refuse(json, "an array", steps) unless json.is_a?(Array)
        json.each_with_index.map { |item, index| inside(steps, index) { read(type, item, steps) } }
      else
        refuse(json, "an object", steps) unless json.is_a?(Hash)
        json.to_h { |key, item| [key, inside(steps, key) { read(type, item, steps) }] }
      end
    end
    private_class_method :read_many

    def self.refuse(json, expected, steps)
      raise LineError.new("#{name_of(json)} in place of #{expected}", steps)
    end

    def self.name_of(json) = json.nil? ? "null" : NAMES[SHAPES[json.class]]

    def self.inside(steps, step)
      steps.push(step)
      value = yield
      steps.pop
      value
    end
  end

  # A union: a module that its types include. A value that none of its cases takes is an {Unknown}.
  module Union
    # A case of a union.
    Case = Struct.new(:type, :shape, :conditions, :internal) do
      # Whether the value is one of the case. A condition is a key, its values (any value, if there are none), and whether
      # the key may be absent.
      def accepts?(json)
        conditions.all? do |key, values, optional|
          json.key?(key) ? values.empty? || values.include?(json[key]) : optional
        end
      end
    end

    # Declares a case.
    def one_of(type, shape, conditions = [], internal: false)
      (@cases ||= []) << Case.new(type, shape, conditions, internal)
    end

    def read(json, steps)
      shape = Types::SHAPES[json.class]
      cases = @cases.select { |option| option.shape == shape }
      raise LineError.new("#{Types.name_of(json)} where the type has none", steps) if cases.empty?

      option = shape == :object ? cases.find { |candidate| candidate.accepts?(json) } : cases.first
      option ? read_case(option, json, steps) : Unknown.new(json)
    end

    private

    def read_case(option, json, steps)
      depth = steps.length
      Types.read(option.type, json, steps)
    rescue LineError => e
      raise unless option.internal

      steps.slice!(depth..)
      Unknown.new(json, e)
    end
  end

  # An object with fields. A field that is absent is nil; {#null?} tells whether it was there and null.
  class Record
    # A field: the name of its method, its key, its type, and how it may appear.
    Field = Struct.new(:name, :key, :type, :required, :nullable)

    class << self
      # @return [Hash{String => Object}] the keys that always have the same value
      def tags = @tags ||= {}

      # @return [Hash{String => Field}] the fields by their keys
      def fields = @fields ||= {}

      # @return [Symbol, nil] the type of the response, if this is a control request
      attr_reader :response

      # Reads an object.
      # @param json [Object] what {Parser.parse} returned
      # @raise [LineError]
      def read(json, steps = [])
        Types.refuse(json, "an object", steps) unless json.is_a?(Hash)
        tags.each do |key, value|
          raise LineError.new("the key is missing", [*steps, key]) unless json.key?(key)
          raise LineError.new("not #{value.inspect}", [*steps, key]) unless json[key] == value
        end
        allocate.tap { |record| record.send(:fill, json, steps) }
      end

      private

      def tag(key, value) = tags[key] = value

      def field(name, key, type, required: false, nullable: false)
        fields[key] = Field.new(:"@#{name}", key, type, required, nullable)
      end

      def answered_by(type) = @response = type
    end

    # @return [Hash{String => Object}] the fields that this type does not know, as {Parser.parse} returned them
    attr_reader :extra

    # @param values [Hash{Symbol => Object}] the fields by their names. `NULL` stands for null
    # @raise [ArgumentError] if a required field is missing, or a field has another name
    def initialize(extra: {}, **values)
      @extra = extra
      self.class.fields.each_value do |field|
        name = field.name.name.delete_prefix("@").to_sym
        if values.key?(name)
          instance_variable_set(field.name, values.delete(name))
        elsif field.required && !field.nullable
          raise ArgumentError, "#{self.class}: #{name} is missing"
        else
          instance_variable_set(field.name, nil)
        end
      end
      raise ArgumentError, "#{self.class} has no #{values.keys.first}" unless values.empty?
    end

    # Whether a field was there and null.
    # @param name [Symbol] the name of the field
    def null?(name)
      value = instance_variable_get(:"@#{name}")
      value.equal?(NULL) || (value.nil? && !@nulls.nil? && @nulls.include?(:"@#{name}"))
    end

    # Reads the response of an answer to this request.
    # @param json [Object, nil] the `response` of a {ControlSuccess}
    # @return [Object, nil] nil if the answer has no response
    def read_response(json)
      type = self.class.response
      json.nil? || type.nil? ? json : Types.read(type, json, [])
    end

    # @return [String] the value as JSON
    def to_json(*) = Writer.text(self)

    # @return [Hash{Symbol => Object}] the fields that are there, by their names
    def to_h
      self.class.fields.each_value.with_object({}) do |field, found|
        value = instance_variable_get(field.name)
        found[field.name.name.delete_prefix("@").to_sym] = value unless value.nil?
      end
    end

    def deconstruct_keys(_names) = to_h

    def ==(other) = other.class == self.class && other.to_h == to_h && other.extra == extra

    # Appends the value as JSON.
    def write(out)
      empty = true
      begin_member = lambda do |key|
        out << (empty ? "{" : ",")
        empty = false
        Writer.write(key, out)
        out << ":"
      end
      self.class.tags.each do |key, value|
        begin_member.(key)
        Writer.write(value, out)
      end
      self.class.fields.each_value do |field|
        value = instance_variable_get(field.name)
        next if value.nil? && !field.required && !@nulls&.include?(field.name)

        begin_member.(field.key)
        Writer.write(value, out)
      end
      @extra.each do |key, value|
        begin_member.(key)
        Writer.write(value, out)
      end
      out << "{" if empty
      out << "}"
    end

    private

    def fill(json, steps)
      fields = self.class.fields
      @extra = {}
      fields.each_value { |field| instance_variable_set(field.name, nil) }
      json.each do |key, value|
        field = fields[key]
        if field.nil?
          @extra[key] = value unless self.class.tags.key?(key)
        elsif value.nil? && !field.required
          (@nulls ||= []) << field.name
        elsif !(value.nil? && field.nullable)
          steps.push(key)
          instance_variable_set(field.name, Types.read(field.type, value, steps))
          steps.pop
        end
      end
      fields.each_value do |field|
        next if !field.required || json.key?(field.key)

        raise LineError.new("the key is missing", [*steps, field.key])
      end
    end
  end
end
