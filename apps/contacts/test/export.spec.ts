import { sql } from '@gangan/database';
import { type AppError, newContext, newId } from '@gangan/protocol';
import { LeaseLostError } from '@gangan/leases';
import { repetitions } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ClaimedTransfer } from '../src/transfers/transfer-lease.js';
import { TestContacts } from './support/test-contacts.js';
import { Transfers } from './support/transfers.js';

let contacts: TestContacts;
let transfers: Transfers;
beforeAll(async () => {
  contacts = await TestContacts.open();
  transfers = await Transfers.open(contacts);
});
afterAll(() => contacts.close());

const trap = fc.string({
  unit: fc.constantFrom('=', '+', '-', '@', "'", '\t', '\r', '\n', '\r\n', '"', ',', ' ', 'a', 'é', '🙂'),
  maxLength: 8,
});

const tens = { rows: 10, bytes: 1_000_000 };

describe('an export', () => {
  it('contains all rows, with formulas escaped', async () => {
    const organisationId = await contacts.organisation();
    await contacts.add(organisationId, {
      Name: '=1+1',
      Mobile: '+234 803 123 4567',
      Email: 'ada@example.com',
    });
    await contacts.add(organisationId, { Name: 'Okafor, "Ada"\r\nO.' });
    await contacts.add(organisationId);
    const [made, file] = await transfers.export(organisationId);
    expect(made).toMatchObject({ state: 'done', rows: 3, percent: 100, bytes: Buffer.byteLength(file) });
    expect(file).toBe(
      [
        'Name,Email,Mobile',
        "'=1+1,ada@example.com,+234 803 123 4567",
        '"Okafor, ""Ada""\r\nO.",,',
        ',,',
        '',
      ].join('\r\n'),
    );
  });

  it('is taken over if its worker has died, like an import', async () => {
    const organisationId = await contacts.organisation();
    await transfers.upload(organisationId, 'Name\nAda\n');
    await transfers.exports.create({}, newContext({ organisationId }));
    const { importsRepository, exportProgress, holder } = transfers;
    const repositories = [importsRepository, exportProgress];
    for (const { lease } of repositories) {
      expect(await lease.claimNext()).toMatchObject({ attempt: 1 });
      expect(await lease.claimNext()).toBeUndefined();
    }
    const takeOver = (dead: bigint) =>
      contacts.database.transaction((transaction) => holder.takeOver(transaction, dead));
    expect(await takeOver(holder.id + 1n)).toEqual({ contact_import: 0, contact_export: 0 });
    expect(await takeOver(holder.id)).toEqual({ contact_import: 1, contact_export: 1 });
    for (const repository of repositories) {
      const claimed = await repository.lease.claimNext();
      expect(claimed).toMatchObject({ attempt: 2 });
      if (claimed) await repository.lease.fail(claimed, 'The test is over');
    }
  });

  it('is counted like an import', async () => {
    const [organisationId, watched] = [await contacts.organisation(), await Transfers.open(contacts)];
    await watched.import(organisationId, 'Name\nAda\nBola\nChidi,too many\n');
    await watched.import(organisationId, 'Name\n"Ada\n');
    await watched.export(organisationId);
    const counted = (name: string, kind: string, outcome?: string) =>
      watched.counted(name, { kind, ...(outcome !== undefined && { outcome }) });
    expect(await counted('transfer_rows_total', 'import')).toBe(3);
    expect(await counted('transfer_rows_total', 'export')).toBe(2);
    expect(await counted('transfers_ended_total', 'import', 'done')).toBe(1);
    expect(await counted('transfers_ended_total', 'import', 'failed')).toBe(1);
    expect(await counted('transfers_ended_total', 'export', 'done')).toBe(1);
    expect(await counted('transfers_running', 'import')).toBe(0);
  });

  it('of an empty table contains only the header', async () => {
    const [made, file] = await transfers.export(await contacts.organisation());
    expect(made).toMatchObject({ state: 'done', rows: 0, percent: 100 });
    expect(file).toBe('Name,Email,Mobile\r\n');
  });

  it('gives the same rows if it is imported', async () => {
    const names = fc.array(trap, { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(names, fc.boolean(), async (cells, single) => {
        const [from, to] = [await contacts.organisation(), await contacts.organisation()];
        for (const organisationId of [from, to]) {
          const context = newContext({ organisationId });
          const { columns } = await contacts.table(organisationId);
          if (single)
            for (const { id } of columns.slice(1)) await contacts.tables.removeColumn({ id }, context);
          else await contacts.tables.addColumn({ name: '-Note', type: 'TEXT' }, context);
        }
        for (const cell of cells)
          await contacts.add(from, { Name: cell, ...(!single && { '-Note': `${cell}x` }) });
        const [, file] = await transfers.export(from);
        const done = await transfers.import(to, file);
        expect(done).toMatchObject({ state: 'done', created: cells.length, rejected: 0 });
        expect(await transfers.rows(to)).toEqual(await transfers.rows(from));
      }),
      { numRuns: repetitions(3, 12) },
    );
  });

  it('contains the rows that match a smartlist and filters', async () => {
    const organisationId = await contacts.organisation();
    for (const Name of ['Ada', 'Adaeze', 'Bola'])
      await contacts.add(organisationId, { Name, Email: 'x@example.com' });
    await contacts.add(organisationId, { Name: 'Ada', Email: 'x@example.org' });
    const filters = [{ name: 'Email', operator: 'end_with' as const, value: '.com' }];
    const list = await contacts.smartlists.create({ name: 'com', filters }, newContext({ organisationId }));
    const query = {
      smartlist_id: list.id,
      filters: [{ name: 'Name', operator: 'start_with' as const, value: 'ada' }],
    };
    const [made, file] = await transfers.export(organisationId, query);
    expect(made.rows).toBe(2);
    expect(file).toBe('Name,Email,Mobile\r\nAda,x@example.com,\r\nAdaeze,x@example.com,\r\n');
    const unknown = transfers.exports.create({ smartlist_id: newId() }, newContext({ organisationId }));
    await expect(unknown).rejects.toMatchObject({ status: 400, fields: [{ field: 'smartlist_id' }] });
  });

  it('contains the rows that existed when it was requested, even if its workers die', async () => {
    const organisationId = await contacts.organisation();
    const context = newContext({ organisationId });
    const lines = Array.from({ length: 95 }, (_, index) => `row ${index}\n`);
    await transfers.import(organisationId, `Name\n${lines.join('')}`);
    const { id } = await transfers.exports.create({}, context);
    const { lease } = transfers.exportProgress;
    for (let round = 0; ; round += 1) {
      const claimed = await lease.claimNext();
      if (!claimed) break;
      const zombie = { ...claimed };
      await contacts.add(organisationId, { Name: 'late' });
      if (round % 2 === 1) {
        // The worker's lease expires: another continues, and the late write changes nothing.
        await transfers.expire('export');
        const next = await lease.claimNext();
        if (next) await transfers.exportJob.runSlice(next, transfers.going, { ...tens, portions: 1 });
        const late = transfers.exportProgress.advance(zombie, { chunks: ['x'], rows: 1, lastId: newId() });
        await expect(late).rejects.toBeInstanceOf(LeaseLostError);
      } else {
        await transfers.exportJob.runSlice(claimed, transfers.going, { ...tens, portions: 2 });
      }
      await transfers.expire('export');
    }
    expect(await transfers.exports.find({ id }, context)).toMatchObject({ state: 'done', rows: 95 });
    expect(await transfers.file(organisationId, id)).toBe(
      `Name,Email,Mobile\r\n${lines.map((text) => `${text.trim()},,\r\n`).join('')}`,
    );
  });

  it('has several parts if it is large', async () => {
    const organisationId = await contacts.organisation();
    const lines = Array.from({ length: 120 }, (_, index) => `${index} ${'é'.repeat(2_500)}`);
    await transfers.import(organisationId, `Name\n${lines.join('\n')}\n`);
    const [made, file] = await transfers.export(organisationId);
    expect(file).toBe(`Name,Email,Mobile\r\n${lines.map((text) => `${text},,\r\n`).join('')}`);
    expect(made.bytes).toBe(Buffer.byteLength(file));
  });

  it('is written in portions of limited bytes, so that wide rows fit into memory', async () => {
    const organisationId = await contacts.organisation();
    const context = newContext({ organisationId });
    const [narrow, wide] = [Array<string>(60).fill('a'), Array<string>(60).fill('é'.repeat(500))];
    const names = [...narrow, ...wide, ...narrow];
    await transfers.import(organisationId, `Name\n${names.join('\n')}\n`);
    for (const filters of [[], [{ name: 'Name', operator: 'is_not_empty' as const }]]) {
      const { id } = await transfers.exports.create({ filters }, newContext({ organisationId }));
      const { lease } = transfers.exportProgress;
      const grown: number[] = [];
      for (let claimed = await lease.claimNext(); claimed; claimed = await lease.claimNext()) {
        const before = await transfers.exports.find({ id }, context);
        await transfers.exportJob.runSlice(claimed, transfers.going, {
          rows: 100,
          bytes: 5_000,
          portions: 1,
        });
        grown.push((await transfers.exports.find({ id }, context)).bytes - before.bytes);
      }
      expect(Math.max(...grown)).toBeLessThan(5_000 + 21 * 1_004);
      expect(grown.length).toBeGreaterThan(4);
      expect(await transfers.file(organisationId, id)).toBe(
        `Name,Email,Mobile\r\n${names.map((text) => `${text},,\r\n`).join('')}`,
      );
    }
  });

  it('has no file before it is done, and is deleted some time after', async () => {
    const organisationId = await contacts.organisation();
    const context = newContext({ organisationId });
    const { id } = await transfers.exports.create({}, context);
    await expect(transfers.exports.readPart({ id, number: 0 }, context)).rejects.toMatchObject({
      status: 409,
    });
    await transfers.exportAll();
    await transfers.contacts.retention.prune();
    await transfers.exports.readPart({ id, number: 0 }, context);
    await contacts.database.execute(
      sql`UPDATE contact_export SET ended_at = now() - interval '2 h' WHERE id = ${id}`,
    );
    await transfers.contacts.retention.prune();
    await expect(transfers.exports.find({ id }, context)).rejects.toMatchObject({ status: 404 });
    const parts = await contacts.database.query(
      sql`SELECT number FROM contact_export_part WHERE export_id = ${id}`,
    );
    expect(parts).toEqual([]);
  });

  it('is hidden from other organisations', async () => {
    const [mine, another] = [await contacts.organisation(), await contacts.organisation()];
    const [{ id }] = await transfers.export(mine);
    const theirs = newContext({ organisationId: another });
    for (const unknown of [id, newId(), 'x', '']) {
      await expect(transfers.exports.find({ id: unknown }, theirs)).rejects.toMatchObject({ status: 404 });
      await expect(transfers.exports.readPart({ id: unknown, number: 0 }, theirs)).rejects.toMatchObject({
        status: 404,
        message: 'The export was not found',
      });
    }
    expect((await transfers.exports.list({}, theirs)).exports).toEqual([]);
    expect((await transfers.exports.list({}, newContext({ organisationId: mine }))).exports).toHaveLength(1);
  });

  it('is refused if twenty are stored, not counting deleted and failed ones', async () => {
    const organisationId = await contacts.organisation();
    const context = () => newContext({ organisationId });
    await contacts.table(organisationId);
    const asked = Array.from({ length: 25 }, () => transfers.exports.create({}, context()));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    await transfers.exportAll();
    const { exports } = await transfers.exports.list({ limit: 20 }, context());
    const [one, other, third] = exports.map(({ id }) => id);
    await contacts.database.execute(
      sql`UPDATE contact_export SET ended_at = now() - interval '50 min' WHERE id = ${third}::uuid`,
    );
    const refused = (await transfers.exports
      .create({}, context())
      .catch((error: unknown) => error)) as AppError;
    expect(refused).toMatchObject({ status: 429 });
    // 50 of the 60 minutes that it is kept have passed.
    expect(refused.retryAfter).toBeGreaterThan(300);
    expect(refused.retryAfter).toBeLessThanOrEqual(600);
    await transfers.exports.remove({ id: one ?? '' }, context());
    await transfers.exports.create({}, context());
    await expect(transfers.exports.create({}, context())).rejects.toMatchObject({ status: 429 });
    await contacts.database.execute(
      sql`UPDATE contact_export SET state = 'failed', reason = 'x' WHERE id = ${other}::uuid`,
    );
    await transfers.exports.create({}, context());
    await transfers.exportAll();
  });

  it('can be deleted with its file while a worker runs it', async () => {
    const [mine, another] = [await contacts.organisation(), await contacts.organisation()];
    const [context, theirs] = [newContext({ organisationId: mine }), newContext({ organisationId: another })];
    await contacts.add(mine, { Name: 'Ada' });
    const { id } = await transfers.exports.create({}, context);
    for (const unknown of [id, newId(), 'x', '']) {
      await expect(transfers.exports.remove({ id: unknown }, theirs)).rejects.toMatchObject({ status: 404 });
    }
    const claimed = await transfers.exportProgress.lease.claimNext();
    expect(claimed?.id).toBe(id);
    expect(await transfers.exports.remove({ id }, context)).toMatchObject({ id, state: 'running' });
    const late = transfers.exportProgress.advance(claimed as ClaimedTransfer, {
      chunks: ['x'],
      rows: 1,
      lastId: newId(),
    });
    await expect(late).rejects.toBeInstanceOf(LeaseLostError);
    await expect(transfers.exportProgress.finish(claimed as ClaimedTransfer)).rejects.toBeInstanceOf(
      LeaseLostError,
    );
    await expect(transfers.exports.find({ id }, context)).rejects.toMatchObject({ status: 404 });
    await expect(transfers.exports.remove({ id }, context)).rejects.toMatchObject({ status: 404 });
    const parts = await contacts.database.query(
      sql`SELECT number FROM contact_export_part WHERE export_id = ${id}`,
    );
    expect(parts).toEqual([]);
  });

  it('is created once', async () => {
    const context = newContext({ organisationId: await contacts.organisation() });
    const first = await transfers.exports.create({}, context);
    await transfers.exportAll();
    expect((await transfers.exports.create({}, context)).id).toBe(first.id);
    expect((await transfers.exports.list({}, context)).exports).toHaveLength(1);
  });
});
