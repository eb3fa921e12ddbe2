//! Finds lines of a conversation by their times.

/// The maximum time, in milliseconds, between a line whose parent is not in the file and the line with which the CLI
/// continues.
const LONGEST: i64 = 5_000;

/// The lines with which the CLI may continue after a line whose parent is not in the file.
///
///
/// The CLI (2.1.200 to 2.1.332) compares the times of the lines with the time of that line. It takes the latest line
/// that is not later. If several lines have this latest time, it takes the first of them in the file. If the latest
/// time is more than five seconds earlier, the conversation begins at the line whose parent is not in the file.
#[derive(Debug)]
pub(crate) struct ByTime {
    /// The lines, sorted by time. Among lines with the same time, the first one in the file comes last.
    lines: Vec<(i64, u32)>,
    /// Speeds up the search for the last line that was not visited. Each index is a number of lines, counted from the
    /// earliest. Its value is a smaller number whose last line is the next candidate, or the index itself.
    same: Vec<u32>,
}

impl ByTime {
    /// Takes the lines in the order of the file, each with its time in milliseconds. Lines without a time ([`i64::MIN`])
    /// are left out.
    pub(crate) fn new(lines: impl Iterator<Item = (i64, u32)>) -> Self {
        let mut lines: Vec<_> = lines.filter(|(time, _)| *time != i64::MIN).collect();
        lines.reverse();
        lines.sort_by_key(|(time, _)| *time);
        let same = (0..=u32::try_from(lines.len()).unwrap_or(u32::MAX)).collect();
        Self { lines, same }
    }

    /// Returns the line with which the CLI continues before a line of this time. A line that is visited must also be
    /// visited in later calls. All calls together take almost linear time.
    pub(crate) fn before(&mut self, time: i64, is_visited: impl Fn(u32) -> bool) -> Option<u32> {
        if time == i64::MIN {
            return None;
        }
        let mut count = self.lines.partition_point(|(other, _)| *other <= time);
        loop {
            let same = self.same[count] as usize;
            if same != count {
                // Shortens the path, so that the next search takes fewer steps.
                self.same[count] = self.same[same];
                count = same;
                continue;
            }
            let (other, line) = *self.lines.get(count.checked_sub(1)?)?;
            if !is_visited(line) {
                return (time.saturating_sub(other) <= LONGEST).then_some(line);
            }
            count -= 1;
            self.same[count + 1] = self.same[count];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_line_of_the_last_five_seconds_is_found() {
        let lines = [
            (1_000, 0),
            (2_000, 1),
            (2_000, 2),
            (i64::MIN, 3),
            (9_000, 4),
        ];
        let mut lines = ByTime::new(lines.into_iter());
        let mut visited = vec![false; 5];
        let mut before = |time, visited: &[bool]| lines.before(time, |line| visited[line as usize]);
        assert_eq!(before(i64::MIN, &visited), None);
        assert_eq!(before(999, &visited), None);
        assert_eq!(before(1_000, &visited), Some(0));
        assert_eq!(before(7_000, &visited), Some(1));
        assert_eq!(before(7_001, &visited), None);
        assert_eq!(before(9_000, &visited), Some(4));
        visited[4] = true;
        assert_eq!(before(9_000, &visited), None);
        visited[1] = true;
        assert_eq!(before(7_000, &visited), Some(2));
        visited[2] = true;
        assert_eq!(before(6_000, &visited), Some(0));
        visited[0] = true;
        assert_eq!(before(6_000, &visited), None);
        assert_eq!(before(9_000, &visited), None);
    }

    #[test]
    fn many_lines_are_searched_in_linear_time() {
        let count = 1_000_000;
        let mut lines = ByTime::new((0..count).map(|line| (0, line)));
        for visited in 0..count {
            // Lines are visited in the order in which they are found.
            assert_eq!(lines.before(0, |line| line < visited), Some(visited));
        }
    }
}
