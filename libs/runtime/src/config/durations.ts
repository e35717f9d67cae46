const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const spelling = /^(\d{1,9})(ms|s|m|h)$/;

/** In milliseconds: `5s,30s,2m`, each longer than the one before it. `undefined` when they are not. */
export function parseDurations(text: string): readonly number[] | undefined {
  const durations = text.split(',').map((part) => {
    const [, count, unit] = spelling.exec(part.trim()) ?? [];
    return count === undefined ? NaN : Number(count) * units[unit as keyof typeof units];
  });
  const growing = durations.every((duration, place) => duration > (durations[place - 1] ?? 0));
  return growing ? durations : undefined;
}
