# frozen_string_literal: true

# Reads the lines of a direction and writes what the package made of each. `cargo xtask packages ruby` runs it.

require "claw_protocol"

def unknown(value)
  case value
  when ClawProtocol::Unknown then 1
  when ClawProtocol::Record then value.class.fields.each_value.sum { |field| unknown(value.instance_variable_get(field.name)) }
  when Array then value.sum { |item| unknown(item) }
  when Hash then value.each_value.sum { |item| unknown(item) }
  else 0
  end
end

def name(value) = value.class.name.delete_prefix("ClawProtocol::")

$stdin.binmode
$stdout.binmode
ClawProtocol::Reader.new($stdin, ARGV.fetch(0).to_sym).each do |message, error|
  next puts ["error", error.path, error.reason.tr("\t\n", "  ")].join("\t") if error

  line = StringIO.new
  ClawProtocol.write_line(line, message)
  next print "unknown\t", line.string if message.is_a?(ClawProtocol::Unknown)

  kind = name(message)
  if message.is_a?(ClawProtocol::ControlRequest) && !message.request.is_a?(ClawProtocol::Unknown)
    kind += "/#{name(message.request)}"
  end
  print "read\t", kind, "\t", unknown(message), "\t", line.string
end
