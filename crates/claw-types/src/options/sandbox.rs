//! The sandbox that shell commands run in.

use crate::{Count, Map};

/// The sandbox that shell commands run in: the key `sandbox` of settings.
#[wire(rename_all = "camelCase")]
pub struct SandboxSettings {
    /// Runs commands in the sandbox.
    pub enabled: Option<bool>,
    /// Does not start where there can be no sandbox. Absent beside `enabled: true` is `true`.
    pub fail_if_unavailable: Option<bool>,
    /// Does not ask for commands that run in the sandbox.
    pub auto_allow_bash_if_sandboxed: Option<bool>,
    /// Lets the model ask to run a command outside of it.
    pub allow_unsandboxed_commands: Option<bool>,
    /// What can be reached over the network.
    pub network: Option<SandboxNetwork>,
    /// What can be read and written.
    pub filesystem: Option<SandboxFilesystem>,
    /// Secrets that commands do not see, or see masked.
    pub credentials: Option<SandboxCredentials>,
    /// Violations that are not reported: paths, a command each.
    pub ignore_violations: Option<Map<Vec<String>>>,
    /// Linux: a weaker sandbox, for where this one runs in a container.
    pub enable_weaker_nested_sandbox: Option<bool>,
    /// Linux: lets commands make user namespaces.
    pub allow_nested_user_namespaces: Option<bool>,
    /// macOS: lets commands reach the system's trust service, which weakens the network's isolation.
    pub enable_weaker_network_isolation: Option<bool>,
    /// macOS: lets commands send Apple events.
    pub allow_apple_events: Option<bool>,
    /// Commands that never run in the sandbox.
    pub excluded_commands: Option<Vec<String>>,
    /// The ripgrep to use.
    pub ripgrep: Option<SandboxRipgrep>,
    /// Linux: where bubblewrap is.
    pub bwrap_path: Option<String>,
    /// Linux: where socat is.
    pub socat_path: Option<String>,
}

/// What sandboxed commands reach over the network.
#[wire(rename_all = "camelCase")]
pub struct SandboxNetwork {
    /// Domains that are not asked for.
    pub allowed_domains: Option<Vec<String>>,
    /// Domains that are refused.
    pub denied_domains: Option<Vec<String>>,
    /// Refuses what is not allowed, instead of asking.
    pub strict_allowlist: Option<bool>,
    /// Only the organisation's allowed domains count.
    pub allow_managed_domains_only: Option<bool>,
    /// Unix sockets that can be used.
    pub allow_unix_sockets: Option<Vec<String>>,
    /// Every Unix socket can be used.
    pub allow_all_unix_sockets: Option<bool>,
    /// Lets commands listen on ports of this machine.
    pub allow_local_binding: Option<bool>,
    /// macOS: Mach services that can be looked up.
    pub allow_mach_lookup: Option<Vec<String>>,
    /// A proxy of the host's for HTTP.
    pub http_proxy_port: Option<Count>,
    /// A proxy of the host's for SOCKS.
    pub socks_proxy_port: Option<Count>,
    /// Ends TLS in the sandbox's proxy, with this certificate authority.
    pub tls_terminate: Option<SandboxTls>,
}

/// A certificate authority of the sandbox's proxy.
#[wire(rename_all = "camelCase")]
pub struct SandboxTls {
    /// Its certificate, a file.
    pub ca_cert_path: Option<String>,
    /// Its key, a file.
    pub ca_key_path: Option<String>,
}

/// What sandboxed commands read and write.
#[wire(rename_all = "camelCase")]
pub struct SandboxFilesystem {
    /// Paths that can be written.
    pub allow_write: Option<Vec<String>>,
    /// Paths that cannot.
    pub deny_write: Option<Vec<String>>,
    /// Paths that cannot be read.
    pub deny_read: Option<Vec<String>>,
    /// Paths among them that can.
    pub allow_read: Option<Vec<String>>,
    /// Only the organisation's readable paths count.
    pub allow_managed_read_paths_only: Option<bool>,
    /// Leaves the file system as it is.
    pub disabled: Option<bool>,
}

/// Secrets that sandboxed commands do not see, or see masked.
#[wire(rename_all = "camelCase")]
pub struct SandboxCredentials {
    /// In files.
    pub files: Option<Vec<CredentialFile>>,
    /// In variables.
    pub env_vars: Option<Vec<CredentialVariable>>,
    /// Puts a masked secret in also where the connection is not encrypted.
    pub allow_plaintext_inject: Option<bool>,
    /// Variables that are keys of AWS and belong together.
    pub aws_pairs: Option<Vec<AwsPair>>,
    /// How requests that are signed for AWS are treated.
    pub sigv4: Option<Sigv4>,
}

/// What becomes of a credential in the sandbox.
#[wire(fields)]
struct CredentialHandling {
    /// What is done about it.
    pub mode: CredentialMode,
    /// A pattern that finds the secret in the text.
    pub extract: Option<String>,
    /// What is done where the pattern finds nothing.
    pub on_extract_no_match: Option<ExtractNoMatch>,
    /// How the secret is to be read.
    pub decode: Option<CredentialDecode>,
    /// Claims of it that are masked.
    pub mask_claims: Option<Vec<String>>,
}

/// A file with a secret.
#[wire(rename_all = "camelCase")]
pub struct CredentialFile {
    /// The file.
    pub path: String,
    fields: CredentialHandling!(),
    /// Masks every place where the secret stands.
    pub mask_duplicates: Option<bool>,
    /// Hosts to which the true secret is sent.
    pub inject_hosts: Option<Vec<String>>,
}

/// A variable with a secret.
#[wire(rename_all = "camelCase")]
pub struct CredentialVariable {
    /// The variable.
    pub name: String,
    fields: CredentialHandling!(),
    /// Hosts to which the true secret is sent.
    pub inject_hosts: Option<Vec<String>>,
}

/// What is done about a secret.
#[wire(open)]
pub enum CredentialMode {
    /// Commands do not see it.
    Deny = "deny",
    /// Commands see something in its place.
    Mask = "mask",
}

/// Variables that are keys of AWS and belong together.
#[wire(rename_all = "camelCase")]
pub struct AwsPair {
    /// The variable with the key's id.
    pub access_key_id_var: String,
    /// The variable with the key.
    pub secret_access_key_var: String,
    /// The variable with the session's token.
    pub session_token_var: Option<String>,
}

/// How requests that are signed for AWS are treated. Absent: they are refused.
#[wire]
pub struct Sigv4 {
    /// Those that are sent in pieces.
    pub streaming: Option<Sigv4Handling>,
    /// Those whose signature stands in the address.
    pub presigned: Option<Sigv4Handling>,
    /// Those that are signed for several regions.
    pub sigv4a: Option<Sigv4Handling>,
}

/// How a request that is signed for AWS is treated, where its signature cannot be made anew.
#[wire(open)]
pub enum Sigv4Handling {
    /// It is refused.
    Deny = "deny",
    /// It is sent on as it is.
    Passthrough = "passthrough",
}

/// What is done where the pattern that finds a secret finds nothing.
#[wire(open)]
pub enum ExtractNoMatch {
    /// Commands do not see the file or variable.
    Deny = "deny",
    /// The sandbox does not start.
    Error = "error",
    /// Commands see it, and a warning stands on stderr. The default.
    Warn = "warn",
}

/// How a secret is to be read.
#[wire(open)]
pub enum CredentialDecode {
    /// As a JSON Web Token, whose claims are masked.
    Jwt = "jwt",
}

/// A ripgrep to use.
#[wire]
pub struct SandboxRipgrep {
    /// The program.
    pub command: String,
    /// Its first arguments.
    pub args: Option<Vec<String>>,
}
