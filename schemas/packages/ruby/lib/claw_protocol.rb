# frozen_string_literal: true

# Types of the stream-json protocol of the claude CLI, and a reader and a writer of its lines that lose nothing.
module ClawProtocol
end

require_relative "claw_protocol/version"
require_relative "claw_protocol/json"
require_relative "claw_protocol/record"
require_relative "claw_protocol/enumerations"
require_relative "claw_protocol/unions"
require_relative "claw_protocol/structs"
require_relative "claw_protocol/lines"
require_relative "claw_protocol/build"
