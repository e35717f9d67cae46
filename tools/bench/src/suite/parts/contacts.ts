import type { ContactFilter } from '@gangan/contracts';
import { ContactsRun } from '../../contacts/contacts-run.js';
import { BenchEnvironment } from '../../environment/bench-environment.js';
import { part } from '../part.js';
import { atMost, type Group, type Point } from '../scenario.js';

/** A large and a small organisation in the same table. */
interface FilledContacts {
  readonly run: ContactsRun;
  readonly large: string;
  readonly small: string;
}

const fewRows = 1_000;

const contactsGroup: Group<FilledContacts> = {
  title: 'contacts',
  open: async (resources, { rows }) => {
    const run = await ContactsRun.start(await BenchEnvironment.start('postgres', resources));
    const large = await run.organisation('Large', rows);
    const small = await run.organisation('Small', fewRows);
    await run.settle();
    return { run, large, small };
  },
};

/** The time of a query in the worker, database included: with the queue, the ratio would look better than it is. */
const query = (
  title: string,
  size: 'large' | 'small',
  filters: readonly ContactFilter[],
  times: number,
): Point<FilledContacts> => ({
  title,
  measure: async ({ run, [size]: organisationId }) => {
    const before = await run.workedMs();
    for (let count = 0; count < times; count += 1) await run.query(organisationId, filters);
    return { milliseconds: ((await run.workedMs()) - before) / times };
  },
});

const firstPage = query('the first page of the same table', 'large', [], 20);
const firstPageOfFew = query(`the same among ${fewRows.toLocaleString('en')} rows`, 'small', [], 20);
const everyEmail = [{ name: 'Email', operator: 'contain', value: 'example' }] as const;
const noIndex = [{ name: 'Name', operator: 'not_contain', value: 'a' }] as const;

const milliseconds = { figure: 'milliseconds', unit: 'ms' } as const;

export const contacts = part(contactsGroup, [
  {
    ...milliseconds,
    name: 'contacts',
    title: 'contact query, first page',
    of: firstPage,
    beside: firstPageOfFew,
    bar: atMost(1.3),
    limit: 'an index serves it',
  },
  {
    ...milliseconds,
    name: 'contacts-all',
    title: 'contact query, all rows match',
    of: query('all rows match', 'large', everyEmail, 3),
    beside: firstPage,
    bar: atMost(10),
    limit: 'it counts up to 100,000 rows',
  },
  {
    ...milliseconds,
    name: 'contacts-no-index',
    title: 'contact query, no index serves it',
    of: query('no index serves it', 'large', noIndex, 3),
    beside: firstPage,
    bar: atMost(30),
    limit: 'it reads the rows of the organisation once',
  },
]);
