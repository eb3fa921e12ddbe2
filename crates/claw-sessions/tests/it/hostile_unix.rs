//! Pipes and links where transcripts belong: nothing is followed or waited for.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use crate::folder::Folder;
use crate::hostile::{id, line};

#[test]
fn a_pipe_that_takes_a_transcripts_place_is_an_error_and_no_wait() {
    let folder = Folder::new();
    let session = folder.add(&id(1), &line("user", "u1", None));
    fs::remove_file(session.transcript()).unwrap();
    let made = Command::new("mkfifo").arg(session.transcript()).status();
    assert!(made.unwrap().success());
    assert!(session.messages().read().is_err());
    assert!(session.entries().is_err());
    assert!(session.info().is_err());
}

#[test]
fn a_link_that_takes_a_transcripts_place_is_not_followed() {
    let folder = Folder::new();
    let session = folder.add(&id(1), &line("user", "u1", None));
    let secret = folder.config().join("secret");
    fs::rename(session.transcript(), &secret).unwrap();
    symlink(&secret, session.transcript()).unwrap();
    assert!(session.messages().read().is_err());
    assert!(session.info().is_err());
    fs::remove_file(session.transcript()).unwrap();
    assert!(session.messages().read().is_err());
}

/// A link to a project of another configuration folder would bring its sessions into this one.
#[test]
fn a_link_is_not_the_folder_of_a_project() {
    let (own, other) = (Folder::new(), Folder::new());
    let session = other.add(&id(1), &line("user", "u1", None));
    let projects = own.config().join("projects");
    fs::create_dir_all(&projects).unwrap();
    let folder = session.transcript().parent().unwrap();
    symlink(folder, projects.join("linked")).unwrap();
    let both = claw_sessions::Sessions::of_config_dirs([own.config(), other.config()], |_| None);
    let found = both.unwrap().find(&id(1)).unwrap();
    assert_eq!(found.config_dir(), other.config());
    let alone = claw_sessions::Sessions::new(own.config());
    assert!(alone.find(&id(1)).unwrap_err().is_not_found());
}

/// A link takes the transcript's place again and again, also between the look at a name and its opening.
#[test]
fn a_link_that_comes_and_goes_during_reads_is_never_followed() {
    let folder = Folder::new();
    let secret = folder.config().join("secret");
    fs::write(&secret, line("user", "secret", None)).unwrap();
    let session = folder.add(&id(1), &line("user", "u1", None));
    let transcript = session.transcript().to_owned();
    let (kept, link) = (
        transcript.with_extension("kept"),
        transcript.with_extension("link"),
    );
    let (swapped, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut was_followed = false;
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            while !is_over.load(Relaxed) {
                fs::copy(&transcript, &kept).unwrap();
                symlink(&secret, &link).unwrap();
                fs::rename(&link, &transcript).unwrap();
                fs::rename(&kept, &transcript).unwrap();
                swapped.fetch_add(1, Relaxed);
            }
        });
        let mut reads = 0;
        // Until both have happened often.
        while !was_followed
            && !other.is_finished()
            && (reads < 2_000 || swapped.load(Relaxed) < 2_000)
        {
            reads += 1;
            let list = folder.sessions().list().run().unwrap().sessions;
            was_followed |= list.iter().any(|info| info.summary != "u1");
            if let Ok(history) = session.messages().read() {
                let mut messages = history.messages.iter();
                was_followed |= messages.any(|message| message.uuid.as_str() != "u1");
            }
        }
        is_over.store(true, Relaxed);
    });
    assert!(!was_followed);
}
