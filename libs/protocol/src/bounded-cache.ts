import { LRUCache } from 'lru-cache';

/**
 * A cache of at most `max` entries: the one that was not used for longest makes room. It takes space as it is filled; the
 * option `max` of `LRUCache` would allocate it for all entries at once, which takes up to 10 ms for 10,000.
 */
export const boundedCache = <Value extends object | string | boolean, Context = unknown>(
  max: number,
  options: Omit<LRUCache.Options<string, Value, Context>, 'max' | 'maxSize' | 'sizeCalculation'> = {},
): LRUCache<string, Value, Context> =>
  new LRUCache<string, Value, Context>({ ...options, maxSize: max, sizeCalculation: () => 1 });
