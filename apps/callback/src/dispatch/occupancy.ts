/** Who holds how many of a number of slots. Nobody gets more than half of what the others leave. */
export class Occupancy {
  private readonly taken: Map<string, number>;
  private sum = 0;

  constructor(
    private readonly most: number,
    taken: ReadonlyMap<string, number> = new Map(),
  ) {
    this.taken = new Map(taken);
    for (const count of taken.values()) this.sum += count;
  }

  get total(): number {
    return this.sum;
  }

  get free(): number {
    return Math.max(0, this.most - this.sum);
  }

  /** How many more an organisation may take. */
  freeFor(organisationId: string): number {
    const own = this.taken.get(organisationId) ?? 0;
    return Math.max(0, Math.ceil((this.most - this.sum + own) / 2) - own);
  }

  add(organisationId: string, more: number): void {
    const count = (this.taken.get(organisationId) ?? 0) + more;
    this.sum += more;
    if (count === 0) this.taken.delete(organisationId);
    else this.taken.set(organisationId, count);
  }

  copy(): Occupancy {
    return new Occupancy(this.most, this.taken);
  }
}
