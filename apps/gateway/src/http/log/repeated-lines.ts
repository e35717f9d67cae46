const windowMs = 10_000;
const defaultMaxLines = 5;
const maxKeys = 10_000;
/** The key of all lines beyond `maxKeys`. */
export const otherLines = 'others';

/** Decides which of many equal log lines are written: the first few in each window of time, then their number. */
export class RepeatedLines {
  private readonly counts = new Map<string, number>();
  private timer?: NodeJS.Timeout;

  /** @param summarise called at the end of a window with the number of lines that were left out */
  constructor(
    private readonly summarise: (key: string, omitted: number) => void,
    private readonly maxLines = defaultMaxLines,
  ) {}

  /** Counts a line; returns whether to write it. */
  add(key: string): boolean {
    const counted = this.counts.has(key) || this.counts.size < maxKeys ? key : otherLines;
    const count = (this.counts.get(counted) ?? 0) + 1;
    this.counts.set(counted, count);
    this.timer ??= setTimeout(() => {
      this.endWindow();
    }, windowMs).unref();
    return count <= this.maxLines;
  }

  endWindow(): void {
    clearTimeout(this.timer);
    delete this.timer;
    for (const [key, count] of this.counts)
      if (count > this.maxLines) this.summarise(key, count - this.maxLines);
    this.counts.clear();
  }
}
