//! A QR code as an image for a page.

use std::fmt::Write as _;

use qrcode::{Color, QrCode};

/// The width of the empty margin that readers need around a code, in modules.
const QUIET: usize = 4;

/// Draws a QR code as SVG, in black on a white background. Returns `None` if the text is too long for a QR code.
pub(super) fn svg(text: &str) -> Option<String> {
    let code = QrCode::new(text).ok()?;
    let width = code.width();
    let side = width + 2 * QUIET;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" shape-rendering=\"crispEdges\">\
         <path fill=\"#fff\" d=\"M0 0h{side}v{side}H0z\"/><path d=\""
    );
    let modules = code.to_colors();
    for (at, _) in modules
        .iter()
        .enumerate()
        .filter(|(_, color)| **color == Color::Dark)
    {
        let (x, y) = (at % width + QUIET, at / width + QUIET);
        // Writing to a `String` cannot fail.
        let _ = write!(svg, "M{x} {y}h1v1h-1z");
    }
    svg.push_str("\"/></svg>");
    Some(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_a_square_in_three_corners() {
        let svg = svg("http://192.168.1.5:8000/login/0123456789").unwrap();
        let (_, path) = svg.split_once("<path d=\"").unwrap();
        let side: usize = {
            let (_, rest) = svg.split_once("viewBox=\"0 0 ").unwrap();
            rest.split(' ').next().unwrap().parse().unwrap()
        };
        let is_dark = |x: usize, y: usize| path.contains(&format!("M{x} {y}h1v1h-1z"));
        let far = side - QUIET - 7;
        for (left, top) in [(QUIET, QUIET), (far, QUIET), (QUIET, far)] {
            for (x, y, expected) in [(0, 0, true), (1, 1, false), (3, 3, true), (6, 6, true)] {
                assert_eq!(is_dark(left + x, top + y), expected, "{left} {top} {x} {y}");
            }
        }
        assert!(!is_dark(0, 0));
        assert_eq!(super::svg(&"a".repeat(10_000)), None);
    }
}
