// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "claw-protocol",
    products: [
        .library(name: "ClawProtocol", targets: ["ClawProtocol"]),
    ],
    targets: [
        .target(name: "ClawProtocol"),
        // The example of the README.
        .executableTarget(name: "Example", dependencies: ["ClawProtocol"]),
        // Reads the lines of the fixtures. `cargo xtask packages swift` runs it.
        .executableTarget(name: "Proof", dependencies: ["ClawProtocol"]),
        .testTarget(name: "ClawProtocolTests", dependencies: ["ClawProtocol"]),
    ]
)
