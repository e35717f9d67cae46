import type { Terminal } from '../session/session.js';

const barWidth = 30;
/** In lines, if there is no terminal. */
const reportEvery = 100_000;
const clearLine = '\r\x1b[K';

/** Shows the progress of an import: a bar on a terminal, otherwise a line now and then. */
export class ImportProgress {
  private bar = '';
  private reported: number;

  constructor(
    private readonly terminal: Pick<Terminal, 'err' | 'isTerminal'>,
    private readonly bytes: number,
    resumedAt: number,
  ) {
    this.reported = resumedAt;
  }

  reach(lines: number, bytes: number): void {
    const done = this.bytes === 0 ? 1 : Math.min(1, bytes / this.bytes);
    const state = `${String(Math.floor(done * 100)).padStart(3)} %  ${lines.toLocaleString('en')} lines`;
    if (this.terminal.isTerminal) {
      const full = Math.round(done * barWidth);
      this.bar = `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}] ${state}`;
      this.terminal.err.write(clearLine + this.bar);
    } else if (lines - this.reported >= reportEvery) {
      this.reported = lines;
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
