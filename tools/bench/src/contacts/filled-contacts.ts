import type { ContactFilter, ContactTable } from '@gangan/contracts';
import type { Print } from '../bench.js';
import type { ContactsRun } from './contacts-run.js';
import { fill, lateText, rareText } from './fill.js';

export const perPage = 100;

const contains = (name: string, value: string): readonly ContactFilter[] => [
  { name, operator: 'contain', value },
];

export const filters = {
  rare: contains('Name', rareText),
  /** Rare as a whole, although every three of its digits are frequent. */
  number: contains('Mobile', '0000777'),
  frequent: contains('Email', 'example'),
  /** Frequent, but together at the end of the table. */
  late: contains('Email', lateText),
  withoutIndex: [{ name: 'Name', operator: 'not_contain', value: 'a' }],
} as const satisfies Record<string, readonly ContactFilter[]>;

interface Organisation {
  readonly id: string;
  readonly table: ContactTable;
}

/** A large and a small organisation in the same table. */
export interface FilledContacts {
  readonly run: ContactsRun;
  readonly large: Organisation;
  readonly small: Organisation;
}

export async function fillBoth(
  run: ContactsRun,
  { rows, few }: { readonly rows: number; readonly few: number },
  print: Print,
): Promise<FilledContacts> {
  const [large, small] = [await run.organisation('Large'), await run.organisation('Small')];
  const rate = await fill(run.database, large.table, rows);
  await fill(run.database, small.table, few);
  await run.settle();
  print(`${rows} rows and ${few}; written at ${Math.round(rate)} rows/s; ${await run.sizes()}`);
  return { run, large, small };
}
