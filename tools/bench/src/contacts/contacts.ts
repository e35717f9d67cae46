import type { ContactFilter } from '@gangan/contracts';
import { median } from '../report/measurement.js';
import { type ContactsOptions, readContactsOptions } from './contacts-options.js';
import { ContactsRun } from './contacts-run.js';
import { fill, rareRows, rareText } from './fill.js';

const perPage = 100;
const deepPage = 5_000;
/** How much longer a query may take among many rows. */
const most = 3;

const rare: readonly ContactFilter[] = [{ name: 'Name', operator: 'contain', value: rareText }];
/** Rare as a whole, though each three of its digits are frequent. */
const number: readonly ContactFilter[] = [{ name: 'Mobile', operator: 'contain', value: '0000777' }];
const frequent: readonly ContactFilter[] = [{ name: 'Email', operator: 'contain', value: 'example' }];
const unaided: readonly ContactFilter[] = [{ name: 'Name', operator: 'not_contain', value: 'a' }];

type Ask = () => Promise<unknown>;

/** The same query, asked in the large organisation and in the small one. */
interface Comparison {
  readonly what: string;
  readonly large: Ask;
  readonly small: Ask;
  /** Whether the bound holds for it: what counts many rows one by one is shown all the same. */
  readonly bounded: boolean;
}

/** Whether queries stay fast as tables grow; returns the exit code. */
export async function benchContacts(
  args: readonly string[],
  say: (line: string) => void,
  running: (run: { close(): Promise<void> }) => void,
): Promise<number> {
  const options = readContactsOptions(args);
  const run = await ContactsRun.start();
  running(run);
  try {
    let holds = true;
    for (const { what, large, small, bounded } of await prepare(run, options, say)) {
      const [many, few] = await alternate(
        large,
        small,
        bounded ? options.rounds : Math.min(5, options.rounds),
      );
      const ratio = many / few;
      holds &&= !bounded || ratio <= most;
      say(`${what}: ${many.toFixed(1)} ms, ${few.toFixed(1)} ms among few: ${ratio.toFixed(2)} ×`);
    }
    return options.assert && !holds ? 1 : 0;
  } finally {
    await run.close();
  }
}

async function prepare(
  run: ContactsRun,
  { rows, few }: ContactsOptions,
  say: (line: string) => void,
): Promise<Comparison[]> {
  const [large, small] = [await run.organisation('Large'), await run.organisation('Small')];
  const pace = await fill(run.database, large.table, rows);
  await fill(run.database, small.table, few);
  await run.settle();
  say(`${rows} rows beside ${few}; written ${Math.round(pace)} rows/s; ${await run.sizes()}`);
  const both = (what: string, filters: readonly ContactFilter[], bounded = true): Comparison => ({
    what,
    large: () => run.query(large.id, filters, { per_page: perPage }),
    small: () => run.query(small.id, filters, { per_page: perPage }),
    bounded,
  });
  const pages = [rows, few].map((count) => Math.min(deepPage, Math.ceil(count / perPage)));
  const [deep = 1, last = 1] = pages;
  return [
    both('first page', []),
    both(`contain, ${rareRows} rows`, rare),
    both('contain, the digits of one number', number),
    {
      what: `page ${deep} by query_id (among few: page ${last})`,
      large: await deepIn(run, large.id, deep),
      small: await deepIn(run, small.id, last),
      bounded: true,
    },
    both('not bounded: contain, all rows', frequent, false),
    both('not bounded: not_contain, which no index helps', unaided, false),
  ];
}

/** The page before it was visited, as when somebody scrolls. */
async function deepIn(run: ContactsRun, organisationId: string, page: number): Promise<Ask> {
  const { meta } = await run.query(organisationId, [], { per_page: perPage, page: Math.max(1, page - 1) });
  const { query_id } = meta.pagination;
  return () => run.query(organisationId, [], { query_id, page });
}

/** One after the other in turn, so that they share the noise; the medians. */
async function alternate(large: Ask, small: Ask, rounds: number): Promise<[large: number, small: number]> {
  const [many, few]: [number[], number[]] = [[], []];
  for (let round = -2; round < rounds; round += 1) {
    for (const [ask, times] of [
      [large, many],
      [small, few],
    ] as const) {
      const started = performance.now();
      await ask();
      // The first rounds warm up.
      if (round >= 0) times.push(performance.now() - started);
    }
  }
  return [median(many), median(few)];
}
