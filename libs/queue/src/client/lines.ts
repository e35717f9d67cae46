import type { FreeSlot } from './gatherer.js';

export interface Waiting {
  readonly bytes: number;
  /** It is its turn, until it says that this is over. */
  go(over: FreeSlot): void;
}

interface Room {
  readonly requests: number;
  readonly bytes: number;
}

interface Line {
  underWay: number;
  readonly waiting: Set<Waiting>;
  readonly load: Load;
}

/** A line may hold this part of what all together may. */
const lineShare = 4;

/** Lines of those who may not all go at the same time. Each goes when one before it in its own line is over. */
export class Lines {
  private readonly lines = new Map<string, Line>();
  private readonly load: Load;
  private readonly lineRoom: Room;

  constructor(room: Room) {
    this.load = new Load(room);
    this.lineRoom = { requests: room.requests / lineShare, bytes: room.bytes / lineShare };
  }

  /** `false` when the line is too long, or all together are. */
  join(name: string, most: number, one: Waiting): boolean {
    const line = this.lineOf(name);
    if (line.underWay < most) {
      this.start(name, line, one);
      return true;
    }
    if (!line.load.hasRoomFor(one) || !this.load.hasRoomFor(one)) return false;
    line.waiting.add(one);
    line.load.add(one);
    this.load.add(one);
    return true;
  }

  /** Before its turn. */
  leave(name: string, one: Waiting): void {
    const line = this.lines.get(name);
    if (!line?.waiting.delete(one)) return;
    line.load.remove(one);
    this.load.remove(one);
  }

  private lineOf(name: string): Line {
    const line = this.lines.get(name) ?? { underWay: 0, waiting: new Set(), load: new Load(this.lineRoom) };
    this.lines.set(name, line);
    return line;
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
    const [next] = line.waiting;
    if (next) {
      this.leave(name, next);
      this.start(name, line, next);
    } else if (line.underWay === 0) this.lines.delete(name);
  }
}

class Load {
  private requests = 0;
  private bytes = 0;

  constructor(private readonly room: Room) {}

  hasRoomFor({ bytes }: Waiting): boolean {
    return this.requests < this.room.requests && this.bytes + bytes <= this.room.bytes;
  }

  add({ bytes }: Waiting): void {
    this.requests += 1;
    this.bytes += bytes;
  }

  remove({ bytes }: Waiting): void {
    this.requests -= 1;
    this.bytes -= bytes;
  }
}
