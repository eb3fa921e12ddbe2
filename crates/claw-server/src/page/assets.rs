//! Style sheets, scripts and icons, which are compiled into the program.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::sync::{LazyLock, OnceLock};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::joined::joined;

/// A file that pages load.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asset {
    /// The name of the file.
    pub(super) name: &'static str,
    /// The media type, for `Content-Type`.
    pub(super) kind: &'static str,
    /// The contents of the file.
    pub(super) body: &'static [u8],
}

const fn file(name: &'static str, kind: &'static str, body: &'static [u8]) -> Asset {
    Asset { name, kind, body }
}

const fn style(name: &'static str, text: &'static str) -> Asset {
    file(name, "text/css; charset=utf-8", text.as_bytes())
}

const fn script(name: &'static str, text: &'static str) -> Asset {
    file(name, "text/javascript; charset=utf-8", text.as_bytes())
}

/// The media type of the icons of installed pages.
const PNG: &str = "image/png";

/// The style sheet of all pages. It is made of all sheets.
pub(super) const STYLE: &str = "page.css";

/// The scripts of the pages. The page `open.js` shows one of the others in its own place.
const PAGES: [&str; 5] = [
    "open.js",
    "changes.js",
    "session.js",
    "sessions.js",
    "usage.js",
];

/// The files from which those that pages load are made.
pub(super) const ASSETS: &[Asset] = &[
    style("elements.css", claw_view::html::STYLE),
    style("page.css", include_str!("assets/page.css")),
    style("activity.css", include_str!("assets/activity.css")),
    style("agents.css", include_str!("assets/agents.css")),
    style("back.css", include_str!("assets/back.css")),
    style("changes.css", include_str!("assets/changes.css")),
    style("comments.css", include_str!("assets/comments.css")),
    style("complete.css", include_str!("assets/complete.css")),
    style("composer.css", include_str!("assets/composer.css")),
    style("find.css", include_str!("assets/find.css")),
    style("finish.css", include_str!("assets/finish.css")),
    style("forms.css", include_str!("assets/forms.css")),
    style("keys.css", include_str!("assets/keys.css")),
    style("palette.css", include_str!("assets/palette.css")),
    style("side.css", include_str!("assets/side.css")),
    style("usage.css", include_str!("assets/usage.css")),
    script("about.js", include_str!("assets/about.js")),
    script("activity.js", include_str!("assets/activity.js")),
    script("against.js", include_str!("assets/against.js")),
    script("agents.js", include_str!("assets/agents.js")),
    script("alerts.js", include_str!("assets/alerts.js")),
    script("answering.js", include_str!("assets/answering.js")),
    script("back.js", include_str!("assets/back.js")),
    script("changes.js", include_str!("assets/changes.js")),
    script("changed.js", include_str!("assets/changed.js")),
    script("choices.js", include_str!("assets/choices.js")),
    script("cli.js", include_str!("assets/cli.js")),
    script(
        "comment_prompt.js",
        include_str!("assets/comment_prompt.js"),
    ),
    script("comments.js", include_str!("assets/comments.js")),
    script("common.js", include_str!("assets/common.js")),
    script("complete.js", include_str!("assets/complete.js")),
    script("composer.js", include_str!("assets/composer.js")),
    script("cost.js", include_str!("assets/cost.js")),
    script("device.js", include_str!("assets/device.js")),
    script("dictation.js", include_str!("assets/dictation.js")),
    script("earlier.js", include_str!("assets/earlier.js")),
    script("find.js", include_str!("assets/find.js")),
    script("finish.js", include_str!("assets/finish.js")),
    script("forms.js", include_str!("assets/forms.js")),
    script("install.js", include_str!("assets/install.js")),
    script("keys.js", include_str!("assets/keys.js")),
    script("limits.js", include_str!("assets/limits.js")),
    script("listing.js", include_str!("assets/listing.js")),
    script("live_list.js", include_str!("assets/live_list.js")),
    script("open.js", include_str!("assets/open.js")),
    script("outbox.js", include_str!("assets/outbox.js")),
    script("palette.js", include_str!("assets/palette.js")),
    script("push.js", include_str!("assets/push.js")),
    script("requests.js", include_str!("assets/requests.js")),
    script("session.js", include_str!("assets/session.js")),
    script("sessions.js", include_str!("assets/sessions.js")),
    script("side.js", include_str!("assets/side.js")),
    script("stream.js", include_str!("assets/stream.js")),
    script("usage.js", include_str!("assets/usage.js")),
    script("window.js", include_str!("assets/window.js")),
    file(
        "manifest.webmanifest",
        "application/manifest+json",
        include_bytes!("icons/manifest.webmanifest"),
    ),
    file(
        "icon.svg",
        "image/svg+xml",
        include_bytes!("icons/icon.svg"),
    ),
    file("icon-192.png", PNG, include_bytes!("icons/icon-192.png")),
    file("icon-512.png", PNG, include_bytes!("icons/icon-512.png")),
];

/// A file that is served.
pub(super) struct Served {
    pub(super) asset: Asset,
    gzip: OnceLock<Vec<u8>>,
}

impl Served {
    const fn new(asset: Asset) -> Self {
        let gzip = OnceLock::new();
        Self { asset, gzip }
    }

    /// Returns the contents in the gzip format. The first call compresses them. Returns `None` for a PNG, whose contents are
    /// already compressed.
    pub(super) fn gzip(&self) -> Option<&[u8]> {
        let compress = || {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            // Writing to a `Vec` does not fail. If it did, the contents would be sent as they are.
            let written = encoder.write_all(self.asset.body);
            written.and_then(|()| encoder.finish()).unwrap_or_default()
        };
        if self.asset.kind == PNG {
            return None;
        }
        Some(&**self.gzip.get_or_init(compress)).filter(|gzip| !gzip.is_empty())
    }
}

/// The files that are served. Each page loads one script, which is made of all its scripts, and [`STYLE`]. The other scripts
/// are there one by one, too: the tests of the pages try some of them alone.
static SERVED: LazyLock<Vec<Served>> = LazyLock::new(|| {
    let mut served = Vec::new();
    let is_style = |asset: &&Asset| asset.kind.starts_with("text/css");
    let styles = ASSETS.iter().filter(is_style).map(text);
    let styles = styles.collect::<Vec<_>>().join("\n");
    served.push(Served::new(style(STYLE, styles.leak())));
    for asset in ASSETS.iter().filter(|asset| !is_style(asset)) {
        served.push(Served::new(if PAGES.contains(&asset.name) {
            script(asset.name, page_script(asset.name).leak())
        } else {
            *asset
        }));
    }
    served
});

/// Joins the scripts of a page. All pages but the first one have the browser keep the server's files.
fn page_script(name: &'static str) -> String {
    let source = |name: &str| ASSETS.iter().find(|it| it.name == name).map_or("", text);
    match name {
        "open.js" => joined(&[name], source),
        _ => joined(&[name, "install.js"], source),
    }
}

fn text(asset: &Asset) -> &'static str {
    std::str::from_utf8(asset.body).unwrap_or_default()
}

/// The version of all assets. It is a part of their URLs and changes with their contents. So browsers may cache the
/// assets without a time limit.
pub(super) static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    for Served { asset, .. } in &*SERVED {
        (asset.name, asset.body).hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
});

/// Returns the asset with this name, for `GET /assets/{version}/{name}`.
pub(super) fn asset(name: &str) -> Option<&'static Served> {
    SERVED.iter().find(|served| served.asset.name == name)
}

/// Returns the names of the files that pages load.
pub(super) fn loaded() -> impl Iterator<Item = &'static str> {
    let is_loaded =
        |asset: &&Asset| !asset.kind.contains("javascript") || PAGES.contains(&asset.name);
    let assets = SERVED.iter().map(|served| &served.asset);
    assets.filter(is_loaded).map(|asset| asset.name)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;
    use crate::api::sessions::PARTS;
    use crate::role::Role;

    /// A page loads nothing more than its script and its style sheet.
    #[test]
    fn a_page_has_one_script_with_all_that_it_imports() {
        for page in PAGES {
            let script = text(&asset(page).unwrap().asset);
            let is_module = |line: &str| line.starts_with("import ") || line.starts_with("export ");
            assert_eq!(script.lines().find(|line| is_module(line)), None, "{page}");
            assert_eq!(script.matches("const $common = (() => {").count(), 1);
            // The scripts that it names are before it.
            let mut known = Vec::new();
            for line in script.lines() {
                if let Some((name, _)) = line.split_once(" = (() => {")
                    && let Some(name) = name.strip_prefix("const $")
                {
                    known.push(name);
                } else if let Some((_, from)) = line.split_once("} = $") {
                    assert!(
                        known.contains(&from.trim_end_matches(';')),
                        "{page}: {line}"
                    );
                }
            }
            assert!(known.len() > 1, "{page}");
            println!("{page}: {} bytes in {} scripts", script.len(), known.len());
        }
        let style = text(&asset(STYLE).unwrap().asset);
        assert!(style.contains("\n.finder ") && style.contains(claw_view::html::STYLE));
        println!("{STYLE}: {} bytes", style.len());
    }

    #[test]
    fn the_gzip_format_of_a_file_has_its_contents() {
        for served in &*SERVED {
            let Asset { name, body, .. } = served.asset;
            let Some(gzip) = served.gzip() else {
                assert!(name.starts_with("icon-"), "{name}");
                continue;
            };
            let mut contents = Vec::new();
            GzDecoder::new(gzip).read_to_end(&mut contents).unwrap();
            assert!(contents == body, "{name}");
            if PAGES.contains(&name) || name == STYLE {
                println!("{name}: {} of {} bytes", gzip.len(), body.len());
                assert!(gzip.len() * 2 < body.len(), "{name}");
            }
        }
    }

    /// If a script imports a file that does not exist, browsers do not run the script.
    #[test]
    fn every_import_names_an_asset() {
        let mut imports = 0;
        let is_script = |asset: &&Asset| asset.name.rsplit('.').next() == Some("js");
        for script in ASSETS.iter().filter(is_script) {
            let text = std::str::from_utf8(script.body).unwrap();
            for line in text.lines().filter(|line| line.starts_with("import ")) {
                let (_, rest) = line.split_once("'./").unwrap();
                let name = rest.trim_end_matches("';");
                assert!(asset(name).is_some(), "{}: {line}", script.name);
                imports += 1;
            }
        }
        assert!(imports > 10, "{imports}");
    }

    /// Returns the text of all scripts.
    fn scripts() -> String {
        let scripts = ASSETS.iter().filter(|it| it.kind.contains("javascript"));
        let texts = scripts.map(|it| std::str::from_utf8(it.body).unwrap());
        texts.collect()
    }

    #[test]
    fn scripts_ask_for_operations_that_there_are() {
        let routes = crate::Server::routes();
        let named = routes.iter().filter_map(|route| route.name);
        let parts = PARTS.iter().map(|(name, _)| *name);
        let known: Vec<_> = named.chain(parts).collect();
        let mut asked = 0;
        for rest in scripts().split("may('").skip(1) {
            let name = rest.split('\'').next().unwrap();
            assert!(known.contains(&name), "{name}");
            asked += 1;
        }
        assert!(asked > 20, "{asked}");
    }

    /// Parses the start of a JavaScript template literal, up to the query or the end. Replaces its expressions by `{}`.
    fn template(text: &str) -> String {
        let (mut path, mut depth) = (String::new(), 0);
        for c in text.chars() {
            match (c, depth) {
                ('{', _) => depth += 1,
                ('}', 1) => {
                    path.push_str("{}");
                    depth = 0;
                }
                ('}', _) => depth -= 1,
                ('`' | '\'' | '?' | ',' | ')', 0) => break,
                ('$', 0) => {}
                (c, 0) => path.push(c),
                _ => {}
            }
        }
        path
    }

    #[test]
    fn every_call_of_a_script_has_a_route() {
        let all = crate::Server::routes();
        let routes = all.iter().map(|route| {
            let parts = route.path.split('/');
            let parts = parts.map(|part| if part.starts_with('{') { "{}" } else { part });
            let path = parts.collect::<Vec<_>>().join("/");
            ((route.method.to_string(), path), route)
        });
        let routes: std::collections::HashMap<_, _> = routes.collect();
        let scripts = scripts();
        let mut calls = 0;
        for script in ASSETS
            .iter()
            .filter(|asset| asset.kind.contains("javascript"))
        {
            let text = std::str::from_utf8(script.body).unwrap();
            for call in text.split("call('").skip(1) {
                let (method, path) = call.split_once("', ").unwrap();
                // Scripts of a session begin a path with their constant `api` or `path`. The constants are replaced by
                // their values.
                let path = match path {
                    path if path.starts_with("api)") => "/api/sessions/{}".to_owned(),
                    path => {
                        let path = path.trim_start_matches(['\'', '`']);
                        let path = path.replacen("${api}", "/api/sessions/${id}", 1);
                        template(&path.replacen("${path}/", "/s/${id}/", 1))
                    }
                };
                let call = (method.to_owned(), path);
                let Some(route) = routes.get(&call) else {
                    panic!("{}: {call:?} has no route", script.name);
                };
                // If a call needs more rights than viewing, the script must first check whether the person may make the
                // call.
                if let (Some(name), true) = (route.name, route.role > Role::View) {
                    let is_asked = scripts.contains(&format!("may('{name}')"));
                    assert!(is_asked, "no script asks for {name}: {}", script.name);
                }
                calls += 1;
            }
        }
        assert!(calls > 30, "{calls}");
    }
}
