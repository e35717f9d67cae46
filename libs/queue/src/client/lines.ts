import type { FreeSlot } from './gatherer.js';

export interface Waiting {
  readonly bytes: number;
  /** Nobody waits for it any more: its turn is passed over. */
  readonly gone: boolean;
  /** It is its turn, until it says that this is over. */
  go(over: FreeSlot): void;
}

/** What may wait in one line. */
export interface LineRoom {
  readonly requests: number;
  readonly bytes: number;
}

interface Line {
  underWay: number;
  waiting: Waiting[];
}

/** Lines of those who may not all go at the same time. Each goes when one before it in its own line is over. */
export class Lines {
  private readonly lines = new Map<string, Line>();

  constructor(private readonly room: LineRoom) {}

  /** `false` when the line is too long. */
  join(name: string, most: number, one: Waiting): boolean {
    const line = this.lines.get(name) ?? { underWay: 0, waiting: [] };
    this.lines.set(name, line);
    line.waiting = line.waiting.filter(({ gone }) => !gone);
    if (line.underWay < most) {
      this.start(name, line, one);
      return true;
    }
    const bytes = line.waiting.reduce((sum, waiting) => sum + waiting.bytes, one.bytes);
    if (line.waiting.length >= this.room.requests || bytes > this.room.bytes) return false;
    line.waiting.push(one);
    return true;
  }

  private start(name: string, line: Line, one: Waiting): void {
    line.underWay += 1;
    let over = false;
    one.go(() => {
      if (over) return;
      over = true;
      line.underWay -= 1;
      this.next(name, line);
    });
  }

  private next(name: string, line: Line): void {
    const next = line.waiting.shift();
    if (!next) {
      if (line.underWay === 0) this.lines.delete(name);
    } else if (next.gone) this.next(name, line);
    else this.start(name, line, next);
  }
}
