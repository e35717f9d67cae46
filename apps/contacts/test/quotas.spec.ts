import { findUsage, sql } from '@gangan/database';
import { newContext } from '@gangan/protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { byId, TestContacts, together } from './support/test-contacts.js';
import { Transfers } from './support/transfers.js';

let contacts: TestContacts;
let transfers: Transfers;
beforeAll(async () => {
  contacts = await TestContacts.open();
  transfers = await Transfers.open(contacts);
});
afterAll(() => contacts.close());

const usage = async (organisationId: string) => (await contacts.database.run(findUsage, organisationId))[0];

const refusal = (field: string) => ({
  status: 403,
  code: 'quota_exceeded',
  fields: [
    { field, type: 'quota_exceeded', message: expect.stringMatching(/Delete contacts.* ask the operator/) },
  ],
});

const lines = (count: number, prefix = 'Ada') =>
  `Name\n${Array.from({ length: count }, (_, index) => `${prefix} ${index}\n`).join('')}`;

const named = (value: string) => [{ name: 'Name', operator: 'contain', value } as const];

describe('the quota of contact rows', () => {
  it('rejects further rows until others are deleted', async () => {
    const organisationId = await contacts.organisation({ contactRows: 2 });
    const first = await contacts.add(organisationId, { Name: 'Ada' });
    await contacts.add(organisationId, { Name: 'Grace' });
    await expect(contacts.add(organisationId, { Name: 'Mary' })).rejects.toMatchObject(
      refusal('contact_rows'),
    );
    await contacts.rows.remove({ id: first }, newContext({ organisationId }));
    await contacts.add(organisationId, { Name: 'Mary' });
    expect(await usage(organisationId)).toMatchObject({ contactRows: 2 });
  });

  it('does not change the response to a request that runs again', async () => {
    const organisationId = await contacts.organisation({ contactRows: 1 });
    const context = newContext({ organisationId });
    const answer = await contacts.rows.create({ columns: {} }, context);
    expect(await contacts.rows.create({ columns: {} }, context)).toEqual(answer);
  });

  it('counts the rows of a batch one after the other for each organisation', async () => {
    const limited = await contacts.organisation({ contactRows: 3 });
    const other = await contacts.organisation();
    await Promise.all([contacts.table(limited), contacts.table(other)]);
    const outcomes = await together(10, (index) =>
      contacts.rows
        .create({ columns: {} }, newContext({ organisationId: index % 2 === 0 ? limited : other }))
        .then(
          () => 'added',
          () => 'refused',
        ),
    );
    expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(8);
    expect(await usage(limited)).toMatchObject({ contactRows: 3 });
    expect(await usage(other)).toMatchObject({ contactRows: 5 });
  });

  it('ends an import when it is used up, and says why', async () => {
    const organisationId = await contacts.organisation({ contactRows: 42 });
    const ended = await transfers.import(organisationId, lines(100));
    expect(ended).toMatchObject({ state: 'failed', created: 42, lines: 42 });
    expect(ended.reason).toBe(
      'The limit contact_rows is 42. Delete contacts, or ask the operator for a higher limit.',
    );
    expect(await transfers.rows(organisationId)).toHaveLength(42);
  });

  it('lets an import change the rows that exist', async () => {
    const organisationId = await contacts.organisation({ contactRows: 3 });
    await transfers.import(organisationId, lines(3));
    const changes = 'Name,Email\nAda 0,a@example.com\nAda 2,c@example.com\n';
    expect(await transfers.import(organisationId, changes, { upsert: 'Name' })).toMatchObject({
      state: 'done',
      updated: 2,
    });
  });
});

describe('the quota of stored bytes', () => {
  it('counts cells exactly when rows are added, changed, deleted and summed up', async () => {
    const organisationId = await contacts.organisation();
    const table = await contacts.table(organisationId);
    const id = await contacts.add(organisationId, { Name: 'Ọlá 😀', Email: 'ada@example.com' });
    const removed = await contacts.add(organisationId, { Name: 'x'.repeat(5_000) });
    const context = newContext({ organisationId });
    await contacts.rows.patch({ id, columns: byId(table, { Name: 'Ada', Mobile: '08031234567' }) }, context);
    await contacts.rows.remove({ id: removed }, context);
    const [cells] = await contacts.database.query<{ bytes: bigint }>(
      sql`SELECT sum(octet_length(cells::text))::bigint AS bytes FROM contact_row WHERE table_id = ${table.id}`,
    );
    expect(await usage(organisationId)).toMatchObject({ contactRows: 1, storedBytes: cells?.bytes });
    await contacts.tallies.sum();
    expect(await usage(organisationId)).toMatchObject({ contactRows: 1, storedBytes: cells?.bytes });
  });

  it('rejects rows and larger cells, but not cleared cells and deletions', async () => {
    const organisationId = await contacts.organisation({ storedBytes: 1_000n });
    const table = await contacts.table(organisationId);
    const context = () => newContext({ organisationId });
    const columns = byId(table, { Name: 'x'.repeat(900) });
    const id = await contacts.add(organisationId, { Name: 'x'.repeat(900) });
    await expect(contacts.rows.create({ columns }, context())).rejects.toMatchObject(refusal('stored_bytes'));
    const growing = byId(table, { Email: `${'x'.repeat(50)}@example.com` });
    await expect(contacts.rows.patch({ id, columns: growing }, context())).rejects.toMatchObject(
      refusal('stored_bytes'),
    );
    await contacts.rows.patch({ id, columns: byId(table, { Name: '' }) }, context());
    await contacts.rows.patch({ id, columns: growing }, context());
    await contacts.rows.remove({ id }, context());
    expect(await usage(organisationId)).toMatchObject({ contactRows: 0, storedBytes: 0n });
  });

  it('counts the file of an import until it is imported', async () => {
    const organisationId = await contacts.organisation({ storedBytes: 2_000n });
    await expect(transfers.upload(organisationId, lines(300), { size: 500 })).rejects.toMatchObject(
      refusal('stored_bytes'),
    );
    await contacts.database.contactImport.deleteMany();
    await transfers.upload(organisationId, 'Name\nAda\n');
    expect(await usage(organisationId)).toMatchObject({ storedBytes: 4n, unfinishedImports: 1 });
    await transfers.importAll();
    expect(await usage(organisationId)).toMatchObject({ contactRows: 1, unfinishedImports: 0 });
  });

  it('counts rejected lines, and ends an import that does not fit', async () => {
    const organisationId = await contacts.organisation();
    const text = `Name,Email\n${'Ada,x\n'.repeat(20)}`;
    const { id } = await transfers.import(organisationId, text);
    const file = await transfers.rejected(organisationId, id);
    const storedBytes = BigInt(Buffer.byteLength(file) - 'line,reason,text\r\n'.length);
    expect(await usage(organisationId)).toMatchObject({ storedBytes });
    await contacts.database.organisation.update({
      where: { id: organisationId },
      data: { storedBytes: storedBytes + 300n },
    });
    const failed = await transfers.import(organisationId, text);
    expect(failed).toMatchObject({ state: 'failed', reason: expect.stringContaining('stored_bytes') });
    expect(failed.rejected).toBeGreaterThan(0);
    expect(failed.rejected).toBeLessThan(20);
    const kept = await transfers.rejected(organisationId, failed.id);
    expect(kept.trimEnd().split('\r\n')).toHaveLength(1 + failed.rejected);
  });

  it('counts the filters of smartlists exactly when they are added, changed and deleted', async () => {
    const organisationId = await contacts.organisation();
    const table = await contacts.table(organisationId);
    const context = () => newContext({ organisationId });
    const stored = async () => (await usage(organisationId))?.storedBytes;
    expect(await stored()).toBe(0n);
    const { id } = await contacts.smartlists.create({ name: 'A', filters: named('Ada') }, context());
    await contacts.smartlists.create({ name: 'B', filters: named('Grace') }, context());
    await contacts.smartlists.change({ id, filters: named('x'.repeat(200)) }, context());
    await contacts.smartlists.change({ id, name: 'C' }, context());
    const [filters] = await contacts.database.query<{ bytes: bigint }>(sql`
      SELECT sum(octet_length(filters::text))::bigint AS bytes FROM smartlist
      WHERE table_id = ${table.id} AND NOT everyone`);
    expect(await stored()).toBe(filters?.bytes);
    await contacts.tallies.sum();
    expect(await stored()).toBe(filters?.bytes);
    await contacts.database.smartlist.deleteMany({ where: { tableId: table.id, everyone: false } });
    expect(await stored()).toBe(0n);
  });

  it('rejects smartlists with filters that do not fit, but not other names and deletions', async () => {
    const organisationId = await contacts.organisation({ storedBytes: 1_000n });
    const context = newContext({ organisationId });
    const first = { name: 'A', filters: named('x'.repeat(700)) };
    const made = await contacts.smartlists.create(first, context);
    const again = () => newContext({ organisationId });
    await expect(contacts.smartlists.create({ ...first, name: 'B' }, again())).rejects.toMatchObject(
      refusal('stored_bytes'),
    );
    await expect(
      contacts.smartlists.change({ id: made.id, filters: first.filters }, again()),
    ).rejects.toMatchObject(refusal('stored_bytes'));
    // The queue runs the request again.
    expect(await contacts.smartlists.create(first, context)).toEqual(made);
    await contacts.smartlists.change({ id: made.id, name: 'C' }, again());
    await contacts.smartlists.remove({ id: made.id }, again());
    await contacts.smartlists.create({ ...first, name: 'D' }, again());
  });

  it('counts exports, and ends one that does not fit', async () => {
    const organisationId = await contacts.organisation();
    await contacts.add(organisationId, { Name: 'x'.repeat(1_000) });
    const before = (await usage(organisationId))?.storedBytes ?? 0n;
    const [made] = await transfers.export(organisationId);
    expect(made).toMatchObject({ state: 'done' });
    const storedBytes = (await usage(organisationId))?.storedBytes ?? 0n;
    expect(storedBytes - before).toBeGreaterThan(1_000n);
    await contacts.database.organisation.update({
      where: { id: organisationId },
      data: { storedBytes: storedBytes + 500n },
    });
    const { id } = await transfers.exports.create({}, newContext({ organisationId }));
    await transfers.exportAll();
    expect(await transfers.exports.find({ id }, newContext({ organisationId }))).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('stored_bytes'),
    });
    expect(await usage(organisationId)).toMatchObject({ storedBytes });
  });
});

describe('the quota of unfinished imports', () => {
  it('can be set for an organisation', async () => {
    const organisationId = await contacts.organisation({ unfinishedImports: 1 });
    await transfers.upload(organisationId, lines(1));
    await expect(transfers.upload(organisationId, lines(1))).rejects.toMatchObject({
      status: 429,
      code: 'too_many_imports',
    });
    const unlimited = await contacts.organisation({ unfinishedImports: 0 });
    for (let index = 0; index < 12; index += 1) await transfers.upload(unlimited, lines(1));
    expect(await usage(unlimited)).toMatchObject({ unfinishedImports: 12 });
  });
});
