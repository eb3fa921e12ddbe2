# frozen_string_literal: true

# What a host writes.
module ClawProtocol
  # Returns a prompt.
  # @param content [String, Array<ContentBlock>]
  # @return [UserPrompt]
  def self.prompt(content) = UserPrompt.new(message: MessageParam.new(role: Role::USER, content:))

  # Returns a control request.
  # @param id [String] no other pending request of the session may have it
  # @param body [ControlRequestBody] such as an {Initialize} or an {Interrupt}
  # @return [ControlRequest]
  def self.request(id, body) = ControlRequest.new(request_id: id, request: body)

  # Returns the answer to a control request: a {PermissionAllow} for a {CanUseTool}, a {SyncHookOutput} for a
  # {HookCallback}, a {McpMessageResponse} for a {McpMessage}.
  # @param response [Record, nil] nil is left out
  # @return [ControlResponse]
  def self.answer(id, response = nil) = ControlResponse.new(response: ControlSuccess.new(request_id: id, response:))

  # Returns the response that lets a tool run with the input that the request has. Older CLIs require the input.
  # @param request [CanUseTool]
  # @return [PermissionAllow]
  def self.allow(request) = PermissionAllow.new(updated_input: request.input)

  # Returns the response that keeps a tool from running.
  # @param reason [String] the model reads it
  # @return [PermissionDeny]
  def self.deny(reason) = PermissionDeny.new(message: reason)

  # Returns the answer to a control request that the host cannot fulfil.
  # @return [ControlResponse]
  def self.refuse(id, why) = ControlResponse.new(response: ControlError.new(request_id: id, error: why))

  # Returns the line that withdraws a control request.
  # @return [ControlCancelRequest]
  def self.cancel(id) = ControlCancelRequest.new(request_id: id)
end
