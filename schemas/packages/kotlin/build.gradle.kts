plugins {
    kotlin("jvm") version "2.4.20"
    `maven-publish`
}

group = "io.github.claw-rs"

// The version of the schemas.
version = Regex("VERSION: String = \"(.*)\"").find(file("src/main/kotlin/claw/protocol/Package.kt").readText())!!.groupValues[1]

repositories {
    mavenCentral()
}

kotlin {
    explicitApi()
    jvmToolchain(17)
}

publishing {
    publications {
        create<MavenPublication>("claw") {
            from(components["java"])
            pom {
                name = "claw-protocol"
                description = "Types of the stream-json protocol of the claude CLI, and a lossless reader and writer of its lines"
                licenses {
                    license { name = "MIT OR Apache-2.0" }
                }
            }
        }
    }
}
