import type { ContactFilter } from '@gangan/contracts';
import { bench, type Track, type Print } from '../bench.js';
import { median } from '../report/measurement.js';
import { BenchEnvironment } from '../environment/bench-environment.js';
import { type ContactsOptions, contactsOptions } from './contacts-options.js';
import { ContactsRun } from './contacts-run.js';
import { rareRows } from './fill.js';
import { fillBoth, filters, perPage } from './filled-contacts.js';

const deepPage = 5_000;
/** How many times as long a query may take among many rows. */
const maxRatio = 3;

type Query = () => Promise<unknown>;

/** The same query in the large organisation and in the small one. */
interface Comparison {
  readonly what: string;
  readonly large: Query;
  readonly small: Query;
  /** Whether `maxRatio` applies. It does not to queries that count many rows one by one. */
  readonly bounded: boolean;
}

export const contacts = bench(
  'the time of queries among many rows, compared with few',
  contactsOptions,
  measure,
);

function measure(options: ContactsOptions, print: Print, track: Track): Promise<number> {
  return BenchEnvironment.for('postgres', track, async (environment) => {
    const run = await ContactsRun.start(environment);
    let holds = true;
    for (const { what, large, small, bounded } of await prepare(run, options, print)) {
      const rounds = bounded ? options.rounds : Math.min(5, options.rounds);
      const [many, few] = await alternate(run, large, small, rounds);
      const [ratio, inWorker] = [many.all / few.all, many.worker / few.worker];
      holds &&= !bounded || ratio <= maxRatio;
      print(
        `${what}: ${many.all.toFixed(1)} ms, ${few.all.toFixed(1)} ms among few: ${ratio.toFixed(2)} × ` +
          `(in the worker ${many.worker.toFixed(1)} ms, ${few.worker.toFixed(1)} ms: ${inWorker.toFixed(2)} ×)`,
      );
    }
    return options.assert && !holds ? 1 : 0;
  });
}

async function prepare(
  run: ContactsRun,
  { rows, few }: ContactsOptions,
  print: Print,
): Promise<Comparison[]> {
  const { large, small } = await fillBoth(run, { rows, few }, print);
  const both = (what: string, filter: readonly ContactFilter[], bounded = true): Comparison => ({
    what,
    large: () => run.query(large.id, filter, { per_page: perPage }),
    small: () => run.query(small.id, filter, { per_page: perPage }),
    bounded,
  });
  const pages = [rows, few].map((count) => Math.min(deepPage, Math.ceil(count / perPage)));
  const [deep = 1, last = 1] = pages;
  return [
    both('first page', []),
    both(`contain, ${rareRows} rows`, filters.rare),
    both('contain, the digits of one number', filters.number),
    {
      what: `page ${deep} by query_id (among few: page ${last})`,
      large: await deepIn(run, large.id, deep),
      small: await deepIn(run, small.id, last),
      bounded: true,
    },
    {
      what: 'page 2 by query_id of rows that lie together',
      large: await deepIn(run, large.id, 2, filters.late, 20),
      small: await deepIn(run, small.id, 2, filters.late, 20),
      bounded: true,
    },
    both('not bounded: contain, 6 % of all rows, which lie together', filters.late, false),
    both('not bounded: contain, all rows', filters.frequent, false),
    both('not bounded: not_contain, which no index helps', filters.withoutIndex, false),
  ];
}

/** A query for a page whose previous page was read before, as in scrolling. */
async function deepIn(
  run: ContactsRun,
  organisationId: string,
  page: number,
  filter: readonly ContactFilter[] = [],
  size = perPage,
): Promise<Query> {
  const before = { per_page: size, page: Math.max(1, page - 1) };
  const { meta } = await run.query(organisationId, filter, before);
  const { query_id } = meta.pagination;
  return () => run.query(organisationId, filter, { query_id, page });
}

/** Milliseconds from the request to the reply, and the part of them in the worker and the database. */
interface Times {
  readonly all: number;
  readonly worker: number;
}

/** Alternates between both, so that they share the noise. Returns the medians. */
async function alternate(
  run: ContactsRun,
  large: Query,
  small: Query,
  rounds: number,
): Promise<[large: Times, small: Times]> {
  const [many, few]: [Times[], Times[]] = [[], []];
  for (let round = -2; round < rounds; round += 1) {
    for (const [query, times] of [
      [large, many],
      [small, few],
    ] as const) {
      const worked = await run.workedMs();
      const started = performance.now();
      await query();
      const all = performance.now() - started;
      // The first rounds warm up.
      if (round >= 0) times.push({ all, worker: (await run.workedMs()) - worked });
    }
  }
  return [medians(many), medians(few)];
}

const medians = (times: readonly Times[]): Times => ({
  all: median(times.map(({ all }) => all)),
  worker: median(times.map(({ worker }) => worker)),
});
