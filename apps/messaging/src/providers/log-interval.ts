const intervalMs = 60_000;

/** Limits repeated log lines to one a minute for each key. */
export class LogInterval {
  private readonly last = new Map<string, number>();

  isDue(key: string): boolean {
    const now = performance.now();
    if (now - (this.last.get(key) ?? -Infinity) < intervalMs) return false;
    this.last.set(key, now);
    return true;
  }
}
