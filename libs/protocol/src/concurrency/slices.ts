/** Long enough for about a hundred phone numbers, short enough that a request beside it does not notice. */
const defaultSliceMs = 2;
/** A shorter list waits for no slice: the requests of a batch share statements if they are ready together. */
const minSlicedItems = 10;

/**
 * Divides long work into slices of a few milliseconds. All callers share them: one slice runs per turn of the event loop,
 * however many requests are in progress, and callers take turns.
 */
export class Slices {
  private readonly waiting: (() => void)[] = [];
  private isOpen = false;
  private endsAt = 0;

  constructor(
    private readonly sliceMs = defaultSliceMs,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Like `Array.map`, but yields to the event loop after each slice. */
  async map<T, R>(items: readonly T[], work: (item: T, index: number) => R): Promise<R[]> {
    if (items.length < minSlicedItems) return items.map((item, index) => work(item, index));
    const results: R[] = [];
    for (const [index, item] of items.entries()) {
      if (this.isOver()) await this.nextSlice();
      results.push(work(item, index));
    }
    return results;
  }

  /** The first result that is not undefined. Yields as `map` does. */
  async find<T, R>(items: readonly T[], work: (item: T) => R | undefined): Promise<R | undefined> {
    for (const item of items) {
      if (items.length >= minSlicedItems && this.isOver()) await this.nextSlice();
      const found = work(item);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** For work that cannot be divided: resolves when it may begin. It uses up its slice. */
  async begin(): Promise<void> {
    if (this.isOver()) await this.nextSlice();
    this.endsAt = -Infinity;
  }

  private isOver(): boolean {
    if (!this.isOpen) this.open();
    return this.now() >= this.endsAt;
  }

  private open(): void {
    this.isOpen = true;
    this.endsAt = this.now() + this.sliceMs;
    setImmediate(() => {
      this.isOpen = false;
      const next = this.waiting.shift();
      if (!next) return;
      this.open();
      next();
    });
  }

  private nextSlice(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }
}

const slices = new Slices();

export const mapInSlices: Slices['map'] = (items, work) => slices.map(items, work);
export const findInSlices: Slices['find'] = (items, work) => slices.find(items, work);
export const beginSlice: Slices['begin'] = () => slices.begin();
