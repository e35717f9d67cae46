import { writeFile } from 'node:fs/promises';

/** As many as a person reads. */
const mostTold = 100;

/** Tells of bad lines: of all in a file that is written anew, and of the first also on the terminal. */
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
    else if (this.count === mostTold + 1) this.tell('There are more bad lines.');
  }

  /** To be called before the lines are counted as taken: no run that is cut off hides one. */
  async flush(): Promise<void> {
    if (this.unwritten.length === 0) return;
    const heading = this.begun ? '' : 'line,reason\n';
    await writeFile(this.path, heading + this.unwritten.join(''), { flag: this.begun ? 'a' : 'w' });
    if (!this.begun) this.tell(`All bad lines are listed in ${this.path}`);
    this.begun = true;
    this.unwritten = [];
  }
}
