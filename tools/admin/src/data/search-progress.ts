const intervalMs = 5_000;

/** Prints how many rows were searched, at most every five seconds. */
export class SearchProgress {
  private printedAt: number;
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly print: (line: string) => void,
    private readonly now: () => number = Date.now,
  ) {
    this.printedAt = now();
  }

  readonly add = (table: string, rows: number): void => {
    const count = (this.counts.get(table) ?? 0) + rows;
    this.counts.set(table, count);
    if (this.now() - this.printedAt < intervalMs) return;
    this.printedAt = this.now();
    this.print(`${table}: ${count.toLocaleString('en')} rows searched`);
  };
}
