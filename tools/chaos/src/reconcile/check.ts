import type { Facts, Violation } from './facts.js';

export interface Check {
  readonly name: string;
  /** The promise, for the report. */
  readonly promise: string;
  /** Pure: compares the facts with each other. */
  readonly find: (facts: Facts) => Found;
}

export type Found = Iterable<Omit<Violation, 'check'>>;

export const runCheck = ({ name, find }: Check, facts: Facts): Violation[] =>
  [...find(facts)].map((violation) => ({ check: name, ...violation }));

/** Groups by key, in the order of first occurrence. */
export function groupBy<T, K>(list: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of list) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

export const byId = <T extends { readonly id: string }>(list: readonly T[]): Map<string, T> =>
  new Map(list.map((item) => [item.id, item]));
