//! The sandbox in which shell commands run.

use crate::by_shape::by_shape;
use crate::{Count, Map};

/// The settings of the sandbox in which shell commands run. In a settings file, they have the key `sandbox`.
///
/// If a field is absent, other settings or the CLI's defaults decide.
#[wire(rename_all = "camelCase")]
pub struct SandboxSettings {
    /// Whether commands run in the sandbox.
    pub enabled: Option<bool>,
    /// Whether the CLI refuses to start if the sandbox is unavailable. Absent means `true` if `enabled` is `true`.
    pub fail_if_unavailable: Option<bool>,
    /// Whether commands that run in the sandbox are allowed without asking.
    pub auto_allow_bash_if_sandboxed: Option<bool>,
    /// Whether the model may ask to run a command outside of the sandbox.
    pub allow_unsandboxed_commands: Option<bool>,
    /// The network access of commands in the sandbox.
    pub network: Option<SandboxNetwork>,
    /// The file access of commands in the sandbox.
    pub filesystem: Option<SandboxFilesystem>,
    /// The credentials that are hidden from commands in the sandbox. A command sees either nothing of a credential or a
    /// placeholder.
    pub credentials: Option<SandboxCredentials>,
    /// The violations of the sandbox that the CLI does not report. Each key is a pattern for commands, and its value
    /// lists the paths whose violations are not reported.
    pub ignore_violations: Option<Map<Vec<String>>>,
    /// Whether a weaker sandbox is used, which also works inside a container. Linux only.
    pub enable_weaker_nested_sandbox: Option<bool>,
    /// Whether commands may create user namespaces. Linux only.
    pub allow_nested_user_namespaces: Option<bool>,
    /// Whether commands may reach the system's trust service, which weakens the network isolation. macOS only.
    pub enable_weaker_network_isolation: Option<bool>,
    /// Whether commands may send Apple events. macOS only.
    pub allow_apple_events: Option<bool>,
    /// The commands that never run in the sandbox.
    pub excluded_commands: Option<Vec<String>>,
    /// The ripgrep program that the CLI uses.
    pub ripgrep: Option<SandboxRipgrep>,
    /// The path of the program `bwrap` (bubblewrap). Linux only.
    pub bwrap_path: Option<String>,
    /// The path of the program `socat`. Linux only.
    pub socat_path: Option<String>,
}

/// The network access of commands in the sandbox.
///
/// If a field is absent, other settings or the CLI's defaults decide.
#[wire(rename_all = "camelCase")]
pub struct SandboxNetwork {
    /// The domains that commands may reach without the user being asked.
    pub allowed_domains: Option<Vec<String>>,
    /// The domains that commands may not reach.
    pub denied_domains: Option<Vec<String>>,
    /// Whether domains that are not allowed are denied without asking the user.
    pub strict_allowlist: Option<bool>,
    /// Whether only managed settings can allow domains. If so, the allowed domains of other settings are ignored.
    pub allow_managed_domains_only: Option<bool>,
    /// The Unix sockets that commands may use.
    pub allow_unix_sockets: Option<Vec<String>>,
    /// Whether commands may use all Unix sockets.
    pub allow_all_unix_sockets: Option<bool>,
    /// Whether commands may listen on local ports.
    pub allow_local_binding: Option<bool>,
    /// The Mach services that commands may look up. macOS only.
    pub allow_mach_lookup: Option<Vec<String>>,
    /// The local port of the host's HTTP proxy.
    pub http_proxy_port: Option<Count>,
    /// The local port of the host's SOCKS proxy.
    pub socks_proxy_port: Option<Count>,
    /// The certificate authority of the sandbox's proxy. With it, the proxy decrypts TLS connections.
    pub tls_terminate: Option<SandboxTls>,
}

/// The certificate authority of the sandbox's proxy.
#[wire(rename_all = "camelCase")]
pub struct SandboxTls {
    /// The path of the certificate file.
    pub ca_cert_path: Option<String>,
    /// The path of the private key file.
    pub ca_key_path: Option<String>,
}

/// The file access of commands in the sandbox.
///
/// If a field is absent, other settings or the CLI's defaults decide.
#[wire(rename_all = "camelCase")]
pub struct SandboxFilesystem {
    /// The paths that commands may write to.
    pub allow_write: Option<Vec<String>>,
    /// The paths that commands may not write to.
    pub deny_write: Option<Vec<String>>,
    /// The paths that commands may not read.
    pub deny_read: Option<Vec<String>>,
    /// The paths that commands may read although they lie inside a path that commands may not read.
    pub allow_read: Option<Vec<String>>,
    /// Whether only managed settings can allow paths for reading. If so, `allowRead` of other settings is ignored.
    pub allow_managed_read_paths_only: Option<bool>,
    /// Whether the sandbox leaves the access to files unrestricted.
    pub disabled: Option<bool>,
}

/// The credentials that are hidden from commands in the sandbox. A command sees either nothing of a credential or a
/// placeholder.
///
/// If a field is absent, other settings or the CLI's defaults decide.
#[wire(rename_all = "camelCase")]
pub struct SandboxCredentials {
    /// The files with credentials.
    pub files: Option<Vec<CredentialFile>>,
    /// The environment variables with credentials.
    pub env_vars: Option<Vec<CredentialVariable>>,
    /// Whether the proxy replaces a placeholder with the real credential in unencrypted connections too.
    pub allow_plaintext_inject: Option<bool>,
    /// Groups of environment variables. The variables of each group together form the credentials of one AWS account.
    pub aws_pairs: Option<Vec<AwsPair>>,
    /// How the sandbox's proxy handles requests whose AWS signature (`SigV4`) it cannot create anew.
    pub sigv4: Option<Sigv4>,
}

/// The handling of a credential in the sandbox.
#[wire(fields)]
struct CredentialHandling {
    /// How the credential is hidden from commands: they see nothing of it (`deny`), or a placeholder (`mask`).
    pub mode: CredentialMode,
    /// A pattern that finds the secret within the text of the file or variable.
    pub extract: Option<String>,
    /// The action that the CLI takes if the pattern finds nothing. Absent means `warn`.
    pub on_extract_no_match: Option<ExtractNoMatch>,
    /// The encoding of the secret.
    pub decode: Option<CredentialDecode>,
    /// The claims of the JSON Web Token that are masked. If absent, the whole token is masked.
    pub mask_claims: Option<Vec<String>>,
}

/// A file with a credential.
#[wire(rename_all = "camelCase")]
pub struct CredentialFile {
    /// The path of the file.
    pub path: String,
    fields: CredentialHandling!(),
    /// Whether every occurrence of the secret is masked.
    pub mask_duplicates: Option<bool>,
    /// The hosts to which the sandbox's proxy sends the real secret.
    pub inject_hosts: Option<Vec<String>>,
}

/// An environment variable with a credential.
#[wire(rename_all = "camelCase")]
pub struct CredentialVariable {
    /// The name of the variable.
    pub name: String,
    fields: CredentialHandling!(),
    /// The hosts to which the sandbox's proxy sends the real secret.
    pub inject_hosts: Option<Vec<String>>,
}

/// How a credential is hidden from commands: they see nothing of it, or a placeholder.
#[wire(open)]
pub enum CredentialMode {
    /// Commands cannot see the credential.
    Deny = "deny",
    /// Commands see a placeholder in place of the credential.
    Mask = "mask",
}

/// A group of environment variables that together form the credentials of one AWS account.
#[wire(rename_all = "camelCase")]
pub struct AwsPair {
    /// The name of the environment variable that contains the access key ID.
    pub access_key_id_var: String,
    /// The name of the environment variable that contains the secret access key.
    pub secret_access_key_var: String,
    /// The name of the environment variable that contains the session token. Absent if the credentials have no session
    /// token.
    pub session_token_var: Option<String>,
}

/// How the sandbox's proxy handles requests whose AWS signature (`SigV4`) it cannot create anew. Each field concerns
/// one kind of request. If a field is absent, the proxy denies requests of that kind.
#[wire]
pub struct Sigv4 {
    /// The handling of requests that are sent in chunks.
    pub streaming: Option<Sigv4Handling>,
    /// The handling of requests whose signature is in the URL.
    pub presigned: Option<Sigv4Handling>,
    /// The handling of requests that are signed for several regions.
    pub sigv4a: Option<Sigv4Handling>,
}

/// The handling of a request whose AWS signature the sandbox's proxy cannot create anew.
#[wire(open)]
pub enum Sigv4Handling {
    /// The request is denied.
    Deny = "deny",
    /// The request is passed through unchanged.
    Passthrough = "passthrough",
}

/// The action that the CLI takes if the pattern for a secret matches nothing in the file or variable.
#[wire(open)]
pub enum ExtractNoMatch {
    /// Commands cannot see the file or variable.
    Deny = "deny",
    /// The sandbox does not start.
    Error = "error",
    /// Commands can see the file or variable, and a warning is written to stderr. This is the default.
    Warn = "warn",
}

/// The encoding of a secret.
#[wire(open)]
pub enum CredentialDecode {
    /// A JSON Web Token.
    Jwt = "jwt",
}

/// The ripgrep program that the CLI uses.
#[wire]
pub struct SandboxRipgrep {
    /// The program to run.
    pub command: String,
    /// The arguments that come before all other arguments of the program. Absent means none.
    pub args: Option<Vec<String>>,
}

by_shape! {
    /// Whether the CLI runs shell commands in its sandbox: `true`, `false`, or `unknown`.
    SandboxEnabled, "a Boolean or a text" {
        /// Whether the CLI runs shell commands in its sandbox.
        flag Flag(bool),
        /// The text `unknown`: the CLI could not find out whether it uses the sandbox.
        text Text(String),
    }
}
