package claw.protocol

/** Returns a prompt with a text. */
public fun prompt(text: String): UserPrompt = prompt(ContentText(text))

/** Returns a prompt with content, such as a [ContentList] of blocks. */
public fun prompt(content: Content): UserPrompt = UserPrompt(MessageParam(content = content, role = Role.USER))

/**
 * Returns a control request, such as an [Initialize] or an [Interrupt]. No other pending request of the session may have
 * the ID.
 */
public fun request(id: RequestId, body: ControlRequestBody): ControlRequest =
    ControlRequest(request = body, requestId = id)

/**
 * Returns the answer to a control request: a [PermissionAllow] for a [CanUseTool], a [SyncHookOutput] for a
 * [HookCallback], an [McpMessageResponse] for an [McpMessage]. A response that is null is left out.
 */
public fun answer(id: RequestId, response: Value? = null): ControlResponse =
    ControlResponse(ControlSuccess(requestId = id, response = response?.toJson()))

/** Returns the response that lets a tool run with the input that the request has. Older CLIs require the input. */
public fun allow(request: CanUseTool): PermissionAllow = PermissionAllow(updatedInput = request.input)

/** Returns the response that keeps a tool from running. The model reads the [reason]. */
public fun deny(reason: String): PermissionDeny = PermissionDeny(reason)

/** Returns the answer to a control request that the host cannot fulfil. */
public fun refuse(id: RequestId, why: String): ControlResponse =
    ControlResponse(ControlError(error = why, requestId = id))

/** Returns the line that withdraws a control request. */
public fun cancel(id: RequestId): ControlCancelRequest = ControlCancelRequest(id)
