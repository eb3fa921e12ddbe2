// The state of a worktree against its base branch, in words.

const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

/** A number of commits, and of files that are not committed. */
export const commits = (count) => counted(count, 'commit', 'commits');
export const files = (count) => counted(count, 'uncommitted file', 'uncommitted files');

/** The state in short, for a row of a list. */
export function against(state) {
  if (!state) return '';
  const { ahead, behind, uncommitted } = state;
  const parts = [ahead ? `${ahead} ahead` : '', behind ? `${behind} behind` : '', uncommitted ? `${uncommitted} uncommitted` : ''];
  return parts.filter(Boolean).join(', ') || 'nothing to merge';
}

/** Shows the state in a row, with the branch that it is compared with. */
export function showAgainst(row, state) {
  const place = row.querySelector('.against');
  place.textContent = against(state);
  place.title = state?.base ? `Compared with ${state.base}` : '';
}
