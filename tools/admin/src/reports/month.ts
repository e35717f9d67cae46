import { firstIdAt } from '@gangan/protocol';
import { invalid } from '../session/arguments.js';

/** A month in UTC. */
export interface Month {
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
}

/** `2026-11` */
export function month(text: string): Month {
  const [, year = '', number = ''] = /^(20\d{2})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === '') return invalid('Use a month such as 2026-11.');
  const start = (offset: number): Date => new Date(Date.UTC(Number(year), Number(number) - 1 + offset, 1));
  return { name: text, from: start(0), to: start(1) };
}

/** Ids of deliveries begin with the time of their message, so a day is a range of ids. */
export interface IdRange {
  readonly first: string;
  /** Not part of the range. */
  readonly end: string;
}

const dayMs = 86_400_000;

export const rangeOf = ({ from, to }: Month): IdRange => ({ first: firstIdAt(from), end: firstIdAt(to) });

/** One range for each day, so that no statement reads a whole month. */
export function daysOf({ from, to }: Month): (IdRange & { readonly day: Date })[] {
  const days = Math.round((to.getTime() - from.getTime()) / dayMs);
  return Array.from({ length: days }, (_, index) => {
    const [day, next] = [index, index + 1].map((count) => new Date(from.getTime() + count * dayMs)) as [
      Date,
      Date,
    ];
    return { day, first: firstIdAt(day), end: firstIdAt(next) };
  });
}

export const monthOption = ['--month <month>', 'in UTC, such as 2026-11', month] as const;
