import { type ClickedLink, maxIndividualClicks } from '@gangan/contracts';

/** What is already stored of a clicked link. */
export interface StoredClicks {
  /** From 1. */
  readonly position: number;
  readonly isCounted: boolean;
  /** Clicks of the last minute. */
  readonly recent: number;
}

/** The new clicks of a link: those that are stored and reported one by one, and the number of others. */
export interface SelectedClicks {
  readonly code: string;
  readonly ids: readonly string[];
  readonly single: readonly string[];
  readonly more: number;
}

/**
 * Leaves out requests that were counted before. At most `maxIndividualClicks` clicks of a link in a minute are reported
 * one by one, from all gateways together.
 */
export function selectClicks(
  links: readonly ClickedLink[],
  stored: readonly StoredClicks[],
): SelectedClicks[] {
  const used = new Map<string, number>();
  return stored.flatMap(({ position, isCounted, recent }) => {
    const link = links[position - 1];
    if (!link || isCounted) return [];
    const { code, ids, more } = link;
    const taken = recent + (used.get(code) ?? 0);
    const single = ids.slice(0, Math.max(0, maxIndividualClicks - taken));
    used.set(code, (used.get(code) ?? 0) + single.length);
    return [{ code, ids, single, more: more + ids.length - single.length }];
  });
}
