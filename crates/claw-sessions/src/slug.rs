//! The name of a project's folder in `projects`.

use std::path::Path;

/// The maximum length of a name before its end is replaced by a hash.
pub(crate) const MOST: usize = 200;

/// Returns the name that the CLI gives the folder of a project: the path, in which `-` replaces each UTF-16 code unit
/// that is not an ASCII letter or digit. A name longer than 200 characters is cut, and a hash of the path is appended.
///
/// This function does not resolve symbolic links. [`Sessions`](crate::Sessions) resolves them before it calls this
/// function.
pub fn slug(path: &Path) -> String {
    let path = path.to_string_lossy();
    let mut name = sanitized(&path);
    if name.len() > MOST {
        let hash = path.encode_utf16().fold(0_i32, |hash, unit| {
            hash.wrapping_mul(31).wrapping_add(i32::from(unit))
        });
        name.truncate(MOST);
        name.push('-');
        name += &base36(hash.unsigned_abs());
    }
    name
}

/// Returns the complete name without a limit. The CLI treats two paths with the same complete name as one project.
pub(crate) fn sanitized(path: &str) -> String {
    let plain = |unit: u16| u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric);
    path.encode_utf16()
        .map(|unit| plain(unit).map_or('-', char::from))
        .collect()
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        let digit = number % 36;
        digits.push(char::from_digit(digit, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            break;
        }
    }
    digits.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> String {
        slug(Path::new(path))
    }

    #[test]
    fn all_but_letters_and_digits_is_a_dash_a_unit() {
        assert_eq!(of("/home/user/my.project_2"), "-home-user-my-project-2");
        // Both texts have two units: a letter and its accent, and a surrogate pair.
        assert_eq!(of("cafe\u{301}"), "cafe-");
        assert_eq!(of("\u{1f600}d"), "--d");
    }

    #[test]
    fn what_is_too_long_ends_in_a_hash() {
        let long = "/".repeat(201);
        let name = of(&long);
        assert!(name.starts_with(&"-".repeat(200)));
        assert!(name.len() > 201 && name.len() <= 208, "{name}");
        assert_eq!(of(&"/".repeat(200)), "-".repeat(200));
        assert_ne!(of(&format!("{long}a")), of(&format!("{long}b")));
    }

    #[test]
    fn a_hash_is_written_in_base_36() {
        assert_eq!(base36(0), "0");
        assert_eq!(base36(35), "z");
        assert_eq!(base36(36), "10");
        assert_eq!(base36(u32::MAX), "1z141z3");
    }
}
