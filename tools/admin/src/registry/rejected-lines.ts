import { writeFile } from 'node:fs/promises';

const maxPrinted = 100;

/** Lists all bad lines in a new file, and prints the first of them. */
export class RejectedLines {
  private count = 0;
  private unwritten: string[] = [];
  private isBegun = false;

  constructor(
    readonly path: string,
    private readonly print: (line: string) => void,
  ) {}

  add(line: number, reason: string): void {
    this.unwritten.push(`${line},"${reason}"\n`);
    if ((this.count += 1) <= maxPrinted) this.print(`line ${line}: ${reason}`);
    else if (this.count === maxPrinted + 1) this.print('There are more bad lines.');
  }

  /** Call before the lines are committed, so that an interruption loses none. */
  async flush(): Promise<void> {
    if (this.unwritten.length === 0) return;
    const heading = this.isBegun ? '' : 'line,reason\n';
    await writeFile(this.path, heading + this.unwritten.join(''), { flag: this.isBegun ? 'a' : 'w' });
    if (!this.isBegun) this.print(`All bad lines are listed in ${this.path}`);
    this.isBegun = true;
    this.unwritten = [];
  }
}
