//! How far a session has come.
