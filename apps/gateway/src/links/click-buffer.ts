import { type ClickedLink, maxIndividualClicks } from '@gangan/contracts';
import { newId } from '@gangan/protocol';

interface Clicks {
  readonly ids: string[];
  more: number;
}

/** Clicks that nobody has been told of yet. However many there are, it grows only with the number of links. */
export class ClickBuffer {
  private readonly waiting = new Map<string, Clicks>();
  /** Clicks of links for which there was no room. */
  lost = 0;

  constructor(private readonly mostLinks: number) {}

  /** Of links. */
  get size(): number {
    return this.waiting.size;
  }

  add(code: string): void {
    const known = this.waiting.get(code);
    if (known && known.ids.length >= maxIndividualClicks) known.more += 1;
    else if (known) known.ids.push(newId());
    else if (this.waiting.size < this.mostLinks) this.waiting.set(code, { ids: [newId()], more: 0 });
    else this.lost += 1;
  }

  /** The longest waiting first. */
  take(most: number): ClickedLink[] {
    const taken = [...this.waiting].slice(0, most);
    for (const [code] of taken) this.waiting.delete(code);
    return taken.map(([code, { ids, more }]) => ({ code, ids, more }));
  }
}
