import type { ContactFilter } from '@gangan/contracts';
import { newContext, newId } from '@gangan/protocol';
import { repetitions } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { NewRow } from '../src/rows/rows.repository.js';
import { TestContacts } from './support/test-contacts.js';

/** What happens between two pages. */
type Event =
  | { readonly do: 'add' }
  | { readonly do: 'delete'; readonly nth: number }
  | { readonly do: 'patch'; readonly nth: number }
  | { readonly do: 'visit'; readonly nth: number }
  | { readonly do: 'commit' };

const event: fc.Arbitrary<Event> = fc.oneof(
  fc.constant({ do: 'add' } as const),
  fc.record({ do: fc.constant('delete' as const), nth: fc.nat(40) }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant('patch' as const), nth: fc.nat(40) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('visit' as const), nth: fc.nat(12) }) },
  fc.constant({ do: 'commit' } as const),
);

const queries: Readonly<Record<string, readonly ContactFilter[]>> = {
  'no filters': [],
  'filters with terms': [{ name: 'Name', operator: 'contain', value: 'ada' }],
  'filters without terms': [{ name: 'Name', operator: 'not_contain', value: 'eve' }],
};

describe('scrolling during concurrent changes', () => {
  let contacts: TestContacts;
  beforeAll(async () => {
    contacts = await TestContacts.open();
  });
  afterAll(() => contacts.close());

  it.each(Object.entries(queries))('with %s shows every unchanged row exactly once', async (_, filters) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 1, max: 7 }),
        fc.array(event, { maxLength: 25 }),
        (rows, perPage, events) => scroll(filters, rows, perPage, events),
      ),
      { numRuns: repetitions(4, 20) },
    );
  });

  it('shows the last row if another starts to match before it', async () => {
    const matching = queries['filters with terms'] ?? [];
    await scroll(matching, 6, 2, [{ do: 'patch', nth: 4 }]);
    await scroll(matching, 6, 2, [
      { do: 'visit', nth: 1 },
      { do: 'patch', nth: 1 },
      { do: 'visit', nth: 0 },
    ]);
  });

  async function scroll(
    filters: readonly ContactFilter[],
    rows: number,
    perPage: number,
    events: readonly Event[],
  ): Promise<void> {
    const organisationId = await contacts.organisation();
    const { id: tableId, columns } = await contacts.table(organisationId);
    const name = columns[0]?.id ?? '';
    const newRow = (value = 'Ada') => ({
      tableId,
      id: newId(),
      written: { [name]: value },
      matched: {},
      createdAt: new Date(),
    });
    // Every third row does not match at first.
    const some = (length: number) =>
      Array.from({ length }, (_, index) => newRow(index % 3 === 1 ? 'Eve' : 'Ada'));
    const early = some(Math.floor(rows / 2));
    // Its id is between the others, and its transaction is still open when the scroll begins.
    const late = await lateRow(newRow());
    const all = [...early, ...some(rows - early.length)];
    await contacts.rowsRepository.insert(contacts.database, all);
    const there = all.filter(({ written }) => filters.length === 0 || written[name] === 'Ada');
    const names = new Map(all.map(({ id, written }) => [id, written[name]]));
    const changed = new Set<string>();
    const deleted = new Set<string>();
    const shown = new Map<number, readonly string[]>();
    let queryId: string | undefined;
    const untouched = (ids: readonly string[]) => ids.filter((id) => !deleted.has(id) && !changed.has(id));
    const visit = async (page: number): Promise<{ readonly pages: number; readonly next: boolean }> => {
      const scroll = queryId === undefined ? { per_page: perPage } : { query_id: queryId };
      const answer = await contacts.query(organisationId, filters, { ...scroll, page });
      const { count_total: total, page_total: pages, query_id } = answer.meta.pagination;
      expect([total, pages]).toEqual([there.length, Math.ceil(there.length / perPage)]);
      queryId = query_id;
      const ids = answer.rows.map(({ id }) => id);
      const before = shown.get(page);
      // A page that was empty because earlier rows were deleted can fill again.
      if (before && before.length > 0) expect(untouched(ids)).toEqual(untouched(before));
      shown.set(page, [...new Set([...(before ?? []), ...ids])]);
      return { pages, next: answer.meta.pagination.next_page === 'true' };
    };
    const remove = async (id: string | undefined): Promise<void> => {
      if (id === undefined || deleted.has(id)) return;
      deleted.add(id);
      await contacts.rows.remove({ id }, newContext({ organisationId }));
    };
    const change = async (id: string | undefined): Promise<void> => {
      if (id === undefined || deleted.has(id)) return;
      changed.add(id);
      names.set(id, names.get(id) === 'Ada' ? 'Eve' : 'Ada');
      await contacts.rows.patch({ id, columns: { [name]: names.get(id) } }, newContext({ organisationId }));
    };
    try {
      const { pages } = await visit(1);
      for (const happening of events) {
        if (happening.do === 'add') await contacts.rowsRepository.insert(contacts.database, [newRow()]);
        else if (happening.do === 'commit') await late.commit();
        else if (happening.do === 'visit') await visit(1 + (happening.nth % (pages + 1)));
        else if (happening.do === 'patch') await change(all[happening.nth % Math.max(1, rows)]?.id);
        else await remove(all[happening.nth % Math.max(1, rows)]?.id);
      }
      for (let page = 1; (await visit(page)).next; page += 1);
    } finally {
      await late.commit();
    }
    const seen = [...shown.values()].flat();
    expect(seen).toHaveLength(new Set(seen).size);
    const staying = untouched(there.map(({ id }) => id));
    expect(untouched(seen).sort()).toEqual(staying.sort());
  }

  /** Inserts a row, and commits it on demand. */
  async function lateRow(row: NewRow): Promise<{ commit(): Promise<void> }> {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let committed: Promise<void> | undefined;
    await new Promise<void>((resolve) => {
      committed = contacts.database.transaction(async (transaction) => {
        await contacts.rowsRepository.insert(transaction, [row]);
        resolve();
        await released;
      });
    });
    return {
      commit: async () => {
        release();
        await committed;
      },
    };
  }
});
