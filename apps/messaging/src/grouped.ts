/** The items that have the same key together, in their order. */
export function grouped<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** Those of whom it is true, and the others. */
export const partition = <T>(items: readonly T[], isSo: (item: T) => boolean): [T[], T[]] => {
  const groups = grouped(items, isSo);
  return [groups.get(true) ?? [], groups.get(false) ?? []];
};
