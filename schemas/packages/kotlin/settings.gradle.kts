rootProject.name = "claw-protocol"
