/// What a host writes.
extension StdinMessage {
    /// Returns a prompt with a text.
    public static func prompt(_ text: String) -> StdinMessage {
        return prompt(content: Content.text(JSONText(text)))
    }

    /// Returns a prompt with content, such as a list of blocks.
    public static func prompt(content: Content) -> StdinMessage {
        return StdinMessage.userPrompt(UserPrompt(message: MessageParam(content: content, role: Role.user)))
    }

    /// Returns a control request, such as `.initialize(Initialize())`. No other pending request of the session may have the ID.
    public static func request(_ id: RequestId, _ body: ControlRequestBody) -> StdinMessage {
        return StdinMessage.controlRequest(ControlRequest(request: body, requestId: id))
    }

    /// Returns the answer to a control request: a `PermissionAllow` for a `CanUseTool`, a `SyncHookOutput` for a
    /// `HookCallback`, an `McpMessageResponse` for an `McpMessage`.
    public static func answer<Response: JSONConvertible>(_ id: RequestId, _ response: Response) -> StdinMessage {
        let success = ControlSuccess(requestId: id, response: response.jsonValue)
        return StdinMessage.controlResponse(ControlResponse(response: ControlResponseBody.controlSuccess(success)))
    }

    /// Returns the answer without a response to a control request.
    public static func answer(_ id: RequestId) -> StdinMessage {
        let success = ControlSuccess(requestId: id)
        return StdinMessage.controlResponse(ControlResponse(response: ControlResponseBody.controlSuccess(success)))
    }

    /// Returns the answer to a control request that the host cannot fulfil.
    public static func refuse(_ id: RequestId, _ why: String) -> StdinMessage {
        let error = ControlError(error: JSONText(why), requestId: id)
        return StdinMessage.controlResponse(ControlResponse(response: ControlResponseBody.controlError(error)))
    }

    /// Returns the line that withdraws a control request.
    public static func cancel(_ id: RequestId) -> StdinMessage {
        return StdinMessage.controlCancelRequest(ControlCancelRequest(requestId: id))
    }
}

extension CanUseTool {
    /// Returns the response that lets the tool run with the input that the request has. Older CLIs require the input.
    public func allow() -> PermissionAllow {
        return PermissionAllow(updatedInput: input)
    }

    /// Returns the response that keeps the tool from running. The model reads the reason.
    public func deny(_ reason: String) -> PermissionDeny {
        return PermissionDeny(message: JSONText(reason))
    }
}
