package claw

import "encoding/json"

// NewPrompt returns a prompt with a text.
func NewPrompt(text string) *UserPrompt { return NewPromptOf(ContentText(text)) }

// NewPromptOf returns a prompt with content, such as a [ContentList] of blocks.
func NewPromptOf(content Content) *UserPrompt {
	return &UserPrompt{Message: MessageParam{Role: RoleUser, Content: content}}
}

// NewRequest returns a control request, such as an [*Initialize] or an [*Interrupt]. No other pending request of the
// session may have the ID.
func NewRequest(id string, body ControlRequestBody) *ControlRequest {
	return &ControlRequest{RequestID: RequestID(id), Request: body}
}

// NewAnswer returns the answer to a control request: a [*PermissionAllow] for a [*CanUseTool], a [*SyncHookOutput] for a
// [*HookCallback], a [*McpMessageResponse] for an [*McpMessage]. A nil response is left out.
func NewAnswer(id RequestID, response any) (*ControlResponse, error) {
	success := &ControlSuccess{RequestID: id}
	if response != nil {
		raw, err := json.Marshal(response)
		if err != nil {
			return nil, err
		}
		success.Response = raw
	}
	return &ControlResponse{Response: success}, nil
}

// NewAllow returns the response that lets a tool run with the input that the request has. Older CLIs require the
// input.
func NewAllow(request *CanUseTool) *PermissionAllow {
	return &PermissionAllow{UpdatedInput: request.Input}
}

// NewDeny returns the response that keeps a tool from running. The model reads the reason.
func NewDeny(reason string) *PermissionDeny { return &PermissionDeny{Message: reason} }

// NewRefusal returns the answer to a control request that the host cannot fulfil.
func NewRefusal(id RequestID, why string) *ControlResponse {
	return &ControlResponse{Response: &ControlError{RequestID: id, Error: why}}
}

// NewCancel returns the line that withdraws a control request.
func NewCancel(id RequestID) *ControlCancelRequest { return &ControlCancelRequest{RequestID: id} }
