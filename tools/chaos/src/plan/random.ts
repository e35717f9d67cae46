import { randomFrom } from '@gangan/testing';

/** Random choices that repeat themselves for the same seed. */
export class Random {
  private readonly next: () => number;

  /** @param name keeps generators of the same seed independent of each other */
  constructor(seed: number, name: string) {
    let mixed = seed;
    for (const character of name) mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x01000193);
    this.next = randomFrom(mixed);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** From `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.int(0, list.length - 1)] ?? list[0];
  }

  shuffle<T>(list: readonly T[]): T[] {
    const shuffled = [...list];
    for (let last = shuffled.length - 1; last > 0; last -= 1) {
      const other = this.int(0, last);
      [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
    }
    return shuffled;
  }
}
