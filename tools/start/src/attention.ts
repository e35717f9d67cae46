/** The faults of a configuration, each told once, however many apps have found it. */
export function attention(faults: readonly string[]): string {
  const told = [...new Set(faults)];
  const need =
    told.length === 1 ? 'One environment variable needs' : `${told.length} environment variables need`;
  return `${need} your attention:\n\n${told.join('\n').trimEnd()}`;
}
