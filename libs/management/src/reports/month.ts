import { firstIdAt } from '@gangan/protocol';

/** A month in UTC. */
export interface Month {
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
}

/** @param text such as `2026-11`; undefined if it is not a month */
export function parseMonth(text: string): Month | undefined {
  const [, year = '', number = ''] = /^(20\d{2})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  const start = (offset: number): Date => new Date(Date.UTC(Number(year), Number(number) - 1 + offset, 1));
  return year === '' ? undefined : { name: text, from: start(0), to: start(1) };
}

/** Ids of deliveries begin with the time of their message, so a time is a range of ids. */
export interface IdRange {
  readonly first: string;
  /** Not part of the range. */
  readonly end: string;
}

export interface DayRange extends IdRange {
  readonly day: Date;
}

const dayMs = 86_400_000;

export const rangeOf = ({ from, to }: Omit<Month, 'name'>): IdRange => ({
  first: firstIdAt(from),
  end: firstIdAt(to),
});

/** One range for each day, so that no statement reads a whole month. */
export function daysOf({ from, to }: Month): DayRange[] {
  const count = Math.round((to.getTime() - from.getTime()) / dayMs);
  const start = (index: number): Date => new Date(from.getTime() + index * dayMs);
  return Array.from({ length: count }, (_, index) => ({
    day: start(index),
    ...rangeOf({ from: start(index), to: start(index + 1) }),
  }));
}
