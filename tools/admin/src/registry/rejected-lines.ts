import { writeFile } from 'node:fs/promises';

/** As many as a person reads. */
const mostTold = 100;

/** Tells of bad lines: of a few on the terminal, of many in a file. */
export class RejectedLines {
  private count = 0;
  private unwritten: string[] = [];
  private begun = false;

  constructor(
    readonly path: string,
    private readonly tell: (line: string) => void,
  ) {}

  add(line: number, reason: string): void {
    this.unwritten.push(`${line},"${reason}"\n`);
    if ((this.count += 1) <= mostTold) this.tell(`line ${line}: ${reason}`);
  }

  /** To be called before the lines are counted as taken: then a crash may name some of them twice, but hides none. */
  async flush(resumed: boolean): Promise<void> {
    if (this.count <= mostTold) return;
    if (!this.begun) this.tell(`There are more bad lines: all of them are in ${this.path}`);
    // What was cut off has left its own there.
    const heading = this.begun || resumed ? '' : 'line,reason\n';
    await writeFile(this.path, heading + this.unwritten.join(''), { flag: heading ? 'w' : 'a' });
    this.begun = true;
    this.unwritten = [];
  }
}
