import type { Facts, Violation } from './facts.js';

export interface Check {
  readonly name: string;
  /** The promise, for the report. */
  readonly promise: string;
  /** Pure: compares the facts with each other. */
  readonly find: (facts: Facts) => Found;
}

/** What a check finds: about which row or request, and what is wrong. */
export type Found = Iterable<readonly [subject: string, message: string]>;

export const runCheck = ({ name, find }: Check, facts: Facts): Violation[] =>
  [...find(facts)].map(([subject, message]) => ({ check: name, subject, message }));

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
