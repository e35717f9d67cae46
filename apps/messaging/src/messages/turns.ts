/** Work of the same name is done one after the other, in the order in which it came. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(name);
    const turn = (before ?? Promise.resolve()).then(work, work);
    this.last.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.last.get(name) === turn) this.last.delete(name);
    }
  }
}
