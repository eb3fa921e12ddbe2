import ClawProtocol

let reader = LineReader<StdoutMessage>(descriptor: 0) // What claude writes.
while true {
    do {
        guard let message = try reader.next() else {
            break
        }
        switch message {
        case .assistantMessage(let assistant):
            for case .textBlock(let block) in assistant.message.content {
                print(block.text)
            }
        case .controlRequest(let request):
            if case .canUseTool(let tool) = request.request {
                try writeLine(StdinMessage.answer(request.requestId, tool.deny("not here")), to: 1)
            }
        case .resultSuccess(let result):
            print("=> \(result.result)")
        case .unknown(let json): // Of a newer CLI.
            print(json)
        default:
            break
        }
    } catch let error as LineError { // The line has no message. The next one may.
        print(error)
    }
}
