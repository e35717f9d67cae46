const intervalMs = 60_000;

/** Limits repeated log lines to one a minute for each key. */
export class LogInterval {
  private readonly lines = new Map<string, { readonly at: number; omitted: number }>();

  isDue(key: string): boolean {
    return this.take(key) !== undefined;
  }

  /** @returns how many the next line is about: this one and those since the last line; undefined if none is due */
  take(key: string, count = 1): number | undefined {
    const now = performance.now();
    const last = this.lines.get(key);
    if (last && now - last.at < intervalMs) {
      last.omitted += count;
      return undefined;
    }
    this.lines.set(key, { at: now, omitted: 0 });
    return count + (last?.omitted ?? 0);
  }
}
