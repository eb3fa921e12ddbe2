# frozen_string_literal: true

# A client of `claw serve`, and the types of what a server and its clients exchange.
module ClawServer
end

require_relative "claw_server/version"
require_relative "claw_server/json"
require_relative "claw_server/record"
require_relative "claw_server/enumerations"
require_relative "claw_server/unions"
require_relative "claw_server/structs"
require_relative "claw_server/client"
require_relative "claw_server/operations"
