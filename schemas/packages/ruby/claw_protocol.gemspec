# frozen_string_literal: true

require_relative "lib/claw_protocol/version"

Gem::Specification.new do |spec|
  spec.name = "claw_protocol"
  spec.version = ClawProtocol::VERSION
  spec.summary = "The types of the claude CLI's stream-json protocol, and a reader and a writer of its lines"
  spec.authors = ["The authors of claw"]
  spec.homepage = "https://github.com/claw-rs/claw"
  spec.licenses = ["MIT", "Apache-2.0"]
  spec.required_ruby_version = ">= 3.1"
  spec.files = Dir["lib/**/*.rb"] + ["README.md", "LICENSE-MIT", "LICENSE-APACHE"]
end
