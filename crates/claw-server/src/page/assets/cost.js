// Tokens and costs in words.

/** A cost in US dollars, in short. An estimate is called one. */
export function costOf(usd, isEstimate) {
  if (!usd) return '';
  const text = usd < 0.005 ? 'less than $0.01' : `$${usd.toFixed(2)}`;
  return isEstimate && usd >= 0.005 ? `about ${text}` : text;
}

/** A number of tokens, in short. */
export function short(tokens) {
  if (tokens < 1_000) return String(tokens);
  const [size, unit] = tokens < 1_000_000 ? [1_000, 'k'] : [1_000_000, 'M'];
  const count = tokens / size;
  return `${count < 10 ? count.toFixed(1) : Math.round(count)} ${unit}`;
}

/** What a turn has used so far, or has used. */
export function turnOf(turn) {
  if (!turn) return '';
  const read = turn.inputTokens + turn.cacheReadTokens + turn.cacheWriteTokens;
  const cost = costOf(turn.costUsd, turn.isEstimate);
  const text = `${turn.isEstimate ? 'this turn' : 'last turn'}: ${short(read)} in, ${short(turn.outputTokens)} out`;
  return cost ? `${text}, ${cost}` : text;
}
