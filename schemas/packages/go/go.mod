module github.com/claw-rs/claw-protocol-go

go 1.18
