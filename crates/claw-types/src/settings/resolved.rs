//! Resolved settings: the effective settings, and the source of each setting.

use super::Settings;
use crate::Map;
use crate::by_shape::by_shape;

/// The effective settings, merged from several sources, and the source of each setting. The official SDKs can compute
/// resolved settings without starting a CLI. No message of the protocol contains resolved settings.
#[wire(rename_all = "camelCase")]
pub struct ResolvedSettings {
    /// The effective settings.
    pub effective: Box<Settings>,
    /// The source of each effective setting. Each key is a top-level key of the settings.
    pub provenance: Map<ProvenanceEntry>,
    /// The settings of each source. Sources later in the list take precedence over earlier ones.
    pub sources: Vec<ResolvedSource>,
    /// The state of the policies that the machine's administrator has set.
    pub machine_policy: Option<MachinePolicy>,
}

/// The source of a setting.
#[wire(rename_all = "camelCase")]
pub struct ProvenanceEntry {
    /// The kind of source.
    pub source: ResolvedSettingSource,
    /// The path of the source's file.
    pub path: Option<String>,
    /// The origin of managed settings. Present only if the source is `managed`.
    pub policy_origin: Option<PolicySettingsOrigin>,
}

/// The settings of one source.
#[wire(rename_all = "camelCase")]
pub struct ResolvedSource {
    /// The kind of source.
    pub source: ResolvedSettingSource,
    /// The settings of the source.
    pub settings: Box<Settings>,
    /// The path of the source's file.
    pub path: Option<String>,
    /// The origin of managed settings. Present only if the source is `managed`.
    pub policy_origin: Option<PolicySettingsOrigin>,
}

/// A kind of source of settings.
#[wire(open)]
pub enum ResolvedSettingSource {
    /// The user's settings file.
    User = "user",
    /// The project's settings file.
    Project = "project",
    /// The project's local settings file, for this machine only.
    Local = "local",
    /// The organisation's managed settings.
    Managed = "managed",
    /// The settings from the command line of the CLI.
    Flag = "flag",
}

/// The origin of an organisation's managed settings.
#[wire(open)]
pub enum PolicySettingsOrigin {
    /// The settings came from a helper program, which prints them.
    Helper = "helper",
    /// The settings came from a server.
    Remote = "remote",
    /// The settings came from a macOS configuration profile.
    Plist = "plist",
    /// The settings came from the machine-wide part of the Windows registry (`HKEY_LOCAL_MACHINE`).
    Hklm = "hklm",
    /// The settings came from a file.
    File = "file",
    /// The settings came from the host.
    Parent = "parent",
    /// The settings came from the user's part of the Windows registry (`HKEY_CURRENT_USER`).
    Hkcu = "hkcu",
}

/// The scope in which a piece of configuration applies.
#[wire(open)]
pub enum ConfigScope {
    /// The configuration applies to the project, on this machine only.
    Local = "local",
    /// The configuration applies to the user, in all projects.
    User = "user",
    /// The configuration applies to the project, for everyone who works on it.
    Project = "project",
}

/// The state of the policies that the machine's administrator has set.
#[wire(rename_all = "camelCase")]
pub struct MachinePolicy {
    /// The policies that could not be loaded.
    pub did_not_load: MissingPolicies,
}

by_shape! {
    /// The policies of the machine's administrator that could not be loaded: a list, or `false` if all were loaded.
    MissingPolicies, "false, or a list" {
        /// The value `false`: all policies were loaded.
        flag None(bool),
        /// The kinds of policies that could not be loaded.
        list These(Vec<PolicyKind>),
    }
}

/// A kind of policy of the machine's administrator.
#[wire(open)]
pub enum PolicyKind {
    /// A macOS configuration profile.
    Profile = "profile",
    /// The Windows registry.
    Registry = "registry",
    /// A file with the policies.
    File = "file",
}
