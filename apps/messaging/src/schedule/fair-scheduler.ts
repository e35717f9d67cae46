/** Takes some of what waits, and gives the end of its work; `more` is called as soon as there may be further ones. */
export type Draught = (
  organisationId: string,
  ids: readonly string[] | undefined,
  more: () => void,
) => Promise<void>;

/**
 * The slots of a lane, shared out fairly. Whoever has fewest of them comes next, and one organisation has at most half.
 * An event that finds no room is only remembered as a thirst of its organisation: what it named is in the table, and is
 * drawn from there when a slot is free. So a campaign empties its part of the queue at once, and stands in nobody's way.
 */
export class Pump {
  private readonly underWay = new Map<string, number>();
  private readonly thirsty = new Set<string>();
  private readonly running = new Set<Promise<void>>();
  private stopped = false;

  constructor(
    private readonly slots: number,
    private readonly draught: Draught,
  ) {}

  /**
   * Takes these, and waits for their end. While something of the organisation is under way, it is only remembered that
   * more waits: so that what comes one by one is drawn together.
   */
  async hint(organisationId: string, ids: readonly string[]): Promise<void> {
    if (this.count(organisationId) === 0 && this.hasRoom(organisationId)) await this.run(organisationId, ids);
    else this.wake(organisationId);
  }

  /** The organisation has something waiting. */
  wake(organisationId: string): void {
    this.thirsty.add(organisationId);
    this.fill();
  }

  /** Begins nothing more, and waits for what is under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.idle();
  }

  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private fill(): void {
    for (;;) {
      const next = this.next();
      if (next === undefined) return;
      this.thirsty.delete(next);
      void this.run(next, undefined);
    }
  }

  private next(): string | undefined {
    let best: string | undefined;
    for (const organisation of this.thirsty) {
      if (!this.hasRoom(organisation)) continue;
      if (best === undefined || this.count(organisation) < this.count(best)) best = organisation;
    }
    return best;
  }

  private hasRoom(organisationId: string): boolean {
    return (
      !this.stopped &&
      this.running.size < this.slots &&
      this.count(organisationId) < Math.ceil(this.slots / 2)
    );
  }

  private count(organisationId: string): number {
    return this.underWay.get(organisationId) ?? 0;
  }

  private async run(organisationId: string, ids: readonly string[] | undefined): Promise<void> {
    this.underWay.set(organisationId, this.count(organisationId) + 1);
    const running = this.draught(organisationId, ids, () => {
      this.wake(organisationId);
    }).finally(() => {
      this.running.delete(running);
      const left = this.count(organisationId) - 1;
      if (left > 0) this.underWay.set(organisationId, left);
      else this.underWay.delete(organisationId);
      this.fill();
    });
    this.running.add(running);
    await running;
  }
}
