//! Where settings come from: what holds, and which source says so.

use super::Settings;
use crate::Map;
use crate::by_shape::by_shape;

/// What holds of several sources of settings, and who says so. The official SDKs work this out
/// without a CLI; on no line.
#[wire(rename_all = "camelCase")]
pub struct ResolvedSettings {
    /// What holds.
    pub effective: Box<Settings>,
    /// Who says so, by top-level key.
    pub provenance: Map<ProvenanceEntry>,
    /// What each source says; later ones go over earlier ones.
    pub sources: Vec<ResolvedSource>,
    /// How it is with what this machine's administrator says.
    pub machine_policy: Option<MachinePolicy>,
}

/// Which source a setting comes from.
#[wire(rename_all = "camelCase")]
pub struct ProvenanceEntry {
    /// The source.
    pub source: ResolvedSettingSource,
    /// Its file.
    pub path: Option<String>,
    /// Which of an organisation's sources. Only of `managed`.
    pub policy_origin: Option<PolicySettingsOrigin>,
}

/// What one source of settings says.
#[wire(rename_all = "camelCase")]
pub struct ResolvedSource {
    /// The source.
    pub source: ResolvedSettingSource,
    /// What it says.
    pub settings: Box<Settings>,
    /// Its file.
    pub path: Option<String>,
    /// Which of an organisation's sources. Only of `managed`.
    pub policy_origin: Option<PolicySettingsOrigin>,
}

/// A source of settings.
#[wire(open)]
pub enum ResolvedSettingSource {
    /// The user's settings file.
    User = "user",
    /// The project's.
    Project = "project",
    /// The project's, of this machine alone.
    Local = "local",
    /// The organisation's.
    Managed = "managed",
    /// Those that the CLI is started with.
    Flag = "flag",
}

/// Which of an organisation's sources of settings.
#[wire(open)]
pub enum PolicySettingsOrigin {
    /// A program that writes them.
    Helper = "helper",
    /// A server.
    Remote = "remote",
    /// macOS: a profile.
    Plist = "plist",
    /// Windows: the machine's registry.
    Hklm = "hklm",
    /// A file.
    File = "file",
    /// The host.
    Parent = "parent",
    /// Windows: the user's registry.
    Hkcu = "hkcu",
}

/// Whom something that is configured is for.
#[wire(open)]
pub enum ConfigScope {
    /// The project, on this machine alone.
    Local = "local",
    /// The user.
    User = "user",
    /// The project.
    Project = "project",
}

/// How it is with what a machine's administrator says.
#[wire(rename_all = "camelCase")]
pub struct MachinePolicy {
    /// What of it could not be read.
    pub did_not_load: MissingPolicies,
}

by_shape! {
    /// What a machine's administrator says and could not be read.
    MissingPolicies, "false, or a list" {
        /// `false`: nothing.
        flag None(bool),
        /// These.
        list These(Vec<PolicyKind>),
    }
}

/// What a machine's administrator says something by.
#[wire(open)]
pub enum PolicyKind {
    /// macOS: a profile.
    Profile = "profile",
    /// Windows: the registry.
    Registry = "registry",
    /// A file.
    File = "file",
}
