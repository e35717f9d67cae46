import type { Terminal } from './session.js';

const barWidth = 30;
/** Without a terminal, a line is printed after this many. */
const reportEvery = 100_000;
const clearLine = '\r\x1b[K';

/** Shows the progress of long work: a bar on a terminal, otherwise lines. */
export class Progress {
  private bar = '';
  private reported: number;

  constructor(
    private readonly terminal: Pick<Terminal, 'err' | 'isTerminal'>,
    /** The size of the whole work, such as the bytes of a file. */
    private readonly total: number,
    /** What is counted, such as lines, and how many were done before. */
    private readonly unit: string,
    resumedAt = 0,
  ) {
    this.reported = resumedAt;
  }

  /** @param done a part of the total */
  reach(count: number, done: number): void {
    const share = this.total === 0 ? 1 : Math.min(1, done / this.total);
    const state = `${String(Math.floor(share * 100)).padStart(3)} %  ${count.toLocaleString('en')} ${this.unit}`;
    if (this.terminal.isTerminal) {
      const full = Math.round(share * barWidth);
      this.bar = `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}] ${state}`;
      this.terminal.err.write(clearLine + this.bar);
    } else if (count - this.reported >= reportEvery) {
      this.reported = count;
      this.terminal.err.write(`${state.trimStart()}\n`);
    }
  }

  /** Prints a line above the bar. */
  remark(line: string): void {
    this.terminal.err.write(this.bar ? `${clearLine}${line}\n${this.bar}` : `${line}\n`);
  }

  end(): void {
    if (this.bar) this.terminal.err.write('\n');
    this.bar = '';
  }
}
