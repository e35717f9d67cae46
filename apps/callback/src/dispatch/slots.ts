import type { Lane } from './isolation.js';

export interface Slot {
  /** For an attempt that turned out slow: it counts among the slow ones from now on. */
  giveWay(): void;
  leave(): void;
}

/** So many times as many attempts as the slow lane has slots may be in it when fast ones turn out slow. */
const crowding = 4;

/** How many attempts a worker has under way, by lane. */
export class Slots {
  private readonly taken: Record<Lane, number> = { fast: 0, slow: 0 };

  /** @param changed called with a lane in which there is a slot more or less */
  constructor(
    private readonly most: Readonly<Record<Lane, number>>,
    private readonly changed: (lane: Lane, taken: number) => void,
  ) {}

  get free(): Record<Lane, number> {
    const { most, taken } = this;
    return { fast: Math.max(0, most.fast - taken.fast), slow: Math.max(0, most.slow - taken.slow) };
  }

  take(lane: Lane): Slot {
    let holding: Lane | undefined = lane;
    this.count(lane, 1);
    return {
      giveWay: () => {
        if (holding !== 'fast' || this.taken.slow >= this.most.slow * crowding) return;
        holding = 'slow';
        this.count('slow', 1);
        this.count('fast', -1);
      },
      leave: () => {
        if (holding === undefined) return;
        const left = holding;
        holding = undefined;
        this.count(left, -1);
      },
    };
  }

  private count(lane: Lane, more: 1 | -1): void {
    this.taken[lane] += more;
    this.changed(lane, this.taken[lane]);
  }
}
