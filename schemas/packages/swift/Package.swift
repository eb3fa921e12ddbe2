// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "claw-protocol",
    // The client of `claw serve` waits for responses with `async`.
    platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8)],
    products: [
        .library(name: "ClawProtocol", targets: ["ClawProtocol"]),
        .library(name: "ClawServer", targets: ["ClawServer"]),
    ],
    targets: [
        .target(name: "ClawProtocol"),
        .target(name: "ClawServer"),
        // The example of the README.
        .executableTarget(name: "Example", dependencies: ["ClawProtocol"]),
        // Reads the lines of the fixtures. `cargo xtask packages swift` runs it.
        .executableTarget(name: "Proof", dependencies: ["ClawProtocol"]),
        // Uses a server. `cargo xtask packages swift` runs it.
        .executableTarget(name: "Use", dependencies: ["ClawServer"]),
        .testTarget(name: "ClawProtocolTests", dependencies: ["ClawProtocol"]),
    ]
)
