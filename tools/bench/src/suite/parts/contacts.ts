import type { ContactFilter } from '@gangan/contracts';
import { type FilledContacts, fillBoth, filters, perPage } from '../../contacts/filled-contacts.js';
import { ContactsRun } from '../../contacts/contacts-run.js';
import { BenchEnvironment } from '../../environment/bench-environment.js';
import { part } from '../part.js';
import { atMost, type Group, type Point } from '../scenario.js';

const fewRows = 1_000;

const contactsGroup: Group<FilledContacts> = {
  title: 'contacts',
  open: ({ track, rows, print }, work) =>
    BenchEnvironment.for('postgres', track, async (environment) =>
      work(await fillBoth(await ContactsRun.start(environment), { rows, few: fewRows }, print)),
    ),
};

/** The time of a query in the worker, database included: with the queue, the ratio would look better than it is. */
const query = (
  title: string,
  size: 'large' | 'small',
  filter: readonly ContactFilter[],
  times: number,
): Point<FilledContacts> => ({
  title,
  measure: async ({ run, [size]: organisation }) => {
    const before = await run.workedMs();
    for (let count = 0; count < times; count += 1)
      await run.query(organisation.id, filter, { per_page: perPage });
    return { milliseconds: ((await run.workedMs()) - before) / times };
  },
});

const firstPage = query('the first page of the same table', 'large', [], 20);
const firstPageOfFew = query(`the same among ${fewRows.toLocaleString('en')} rows`, 'small', [], 20);
const matchesAll = query('all rows match', 'large', filters.frequent, 3);
const withoutIndex = query('no index serves it', 'large', filters.withoutIndex, 3);

export const contacts = part(contactsGroup, [
  {
    name: 'contacts',
    title: 'contact query, first page',
    figure: 'milliseconds',
    unit: 'ms',
    of: firstPage,
    beside: firstPageOfFew,
    bar: atMost(1.3),
    limit: 'an index serves it',
  },
  {
    name: 'contacts-all',
    title: 'contact query, all rows match',
    figure: 'milliseconds',
    unit: 'ms',
    of: matchesAll,
    beside: firstPage,
    bar: atMost(10),
    limit: 'it counts up to 100,000 rows',
  },
  {
    name: 'contacts-no-index',
    title: 'contact query, no index serves it',
    figure: 'milliseconds',
    unit: 'ms',
    of: withoutIndex,
    beside: firstPage,
    bar: atMost(30),
    limit: 'it reads the rows of the organisation once',
  },
]);
