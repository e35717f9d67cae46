import { type AppError, newContext, newId } from '@gangan/protocol';
import { sql } from '@gangan/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RowsRepository } from '../src/rows/rows.repository.js';
import { UpsertRows } from '../src/rows/upsert-rows.js';
import { Office } from './support/office.js';
import { Transfers } from './support/transfers.js';

let office: Office;
let transfers: Transfers;
beforeAll(async () => {
  office = await Office.open();
  transfers = new Transfers(office);
}, 60_000);
afterAll(() => office.close());

describe('an import', () => {
  it('is queued when its file has arrived, and adds a row per line', async () => {
    const organisationId = await office.organisation();
    const text = '\uFEFFname,Mobile,EMAIL\r\n"Okafor, Ada",0803 123 4567,ada@example.com\r\n\r\nBola,,\r\n';
    const queued = await transfers.upload(organisationId, text, { size: 25 });
    const names = new Map((await office.table(organisationId)).columns.map(({ id, name }) => [id, name]));
    const bytes = Buffer.byteLength(text);
    expect(queued).toMatchObject({ state: 'queued', bytes, percent: 0, lines: 0, problems: [] });
    expect(queued.columns.map((id) => names.get(id))).toEqual(['Name', 'Mobile', 'Email']);
    expect(transfers.announced).toContain(`import ${queued.id}`);
    await transfers.importAll();
    const done = await transfers.imports.find({ id: queued.id }, newContext({ organisationId }));
    expect(done).toMatchObject({
      state: 'done',
      percent: 100,
      lines: 2,
      created: 2,
      updated: 0,
      rejected: 0,
    });
    expect(done.ended_datetime).toBeDefined();
    expect(await transfers.rows(organisationId)).toEqual([
      { Name: 'Okafor, Ada', Mobile: '0803 123 4567', Email: 'ada@example.com' },
      { Name: 'Bola' },
    ]);
    expect(await transfers.parts()).toBe(0);
  });

  it('rejects bad lines, and tells of the first hundred', async () => {
    const organisationId = await office.organisation();
    const bad = Array.from({ length: 150 }, (_, place) => `x${place},not an address\n`).join('');
    const text = `Name,Email\nAda,ada@example.com\nBola\n"Chi\ndi",x,y\n${bad}Dayo,dayo@example.com`;
    const done = await transfers.import(organisationId, text);
    const [, email] = done.columns;
    expect(done).toMatchObject({ state: 'done', lines: 154, created: 2, rejected: 152 });
    expect(done.problems).toHaveLength(100);
    expect(done.problems.slice(0, 3)).toEqual([
      { line: 3, message: 'It has 1 cells instead of 2' },
      { line: 4, message: 'It has 3 cells instead of 2' },
      { line: 6, column_id: email, message: 'Email must be an email address' },
    ]);
    expect((await transfers.rows(organisationId)).map(({ Name }) => Name)).toEqual(['Ada', 'Dayo']);
  });

  it('changes rows that agree in a column, the last line winning', async () => {
    const organisationId = await office.organisation();
    await office.add(organisationId, { Name: 'Ada', Mobile: '+2348031234567', Email: 'ada@example.com' });
    const text = [
      'Mobile,Name',
      '0803 123 4567,Ada O.',
      '08030000001,New',
      '+234 803 000 0001,Newer',
      '08031234567,',
      ',nobody',
    ].join('\n');
    const done = await transfers.import(organisationId, text, { upsert: 'mobile' });
    expect(done).toMatchObject({ lines: 5, created: 1, updated: 3, rejected: 1 });
    expect(done.problems).toEqual([
      { line: 6, column_id: done.columns[0], message: 'Mobile is empty, and rows are recognised by it' },
    ]);
    expect(await transfers.rows(organisationId)).toEqual([
      { Mobile: '08031234567', Email: 'ada@example.com' },
      { Mobile: '+234 803 000 0001', Name: 'Newer' },
    ]);
  });

  it('adds the row of a line whose row is deleted at the same moment', async () => {
    const organisationId = await office.organisation();
    const { id: tableId, columns } = await office.table(organisationId);
    const [email = ''] = columns.filter(({ name }) => name === 'Email').map(({ id }) => id);
    const ids: string[] = [];
    for (const name of ['ada', 'bola']) {
      ids.push(await office.add(organisationId, { Email: `${name}@example.com` }));
    }
    const rows = new RowsRepository(office.database);
    const patchAll = rows.patchAll.bind(rows);
    rows.patchAll = async (runner, changes) => {
      await office.database.execute(
        sql`DELETE FROM contact_row WHERE table_id = ${tableId} AND id = ${ids[0]}::uuid`,
      );
      return patchAll(runner, changes);
    };
    const lines = ['ADA@example.com', 'bola@Example.com', 'chidi@example.com'].map((address) => ({
      ...{ tableId, id: newId(), createdAt: new Date() },
      ...{ written: { [email]: address }, matched: {}, cleared: [] },
    }));
    const done = await office.database.transaction((transaction) =>
      new UpsertRows(rows).upsert(transaction, email, lines),
    );
    expect(done).toEqual({ created: 2, updated: 1 });
    expect((await transfers.rows(organisationId)).map(({ Email }) => Email).sort()).toEqual([
      'ADA@example.com',
      'bola@Example.com',
      'chidi@example.com',
    ]);
  });

  it('stops where a quote is not closed, and keeps what came before', async () => {
    const organisationId = await office.organisation();
    const done = await transfers.import(organisationId, 'Name\nAda\n"Bola\nChidi\n');
    expect(done).toMatchObject({
      state: 'failed',
      reason: 'A quote that opens on line 3 or later is not closed',
      created: 1,
    });
    expect(await transfers.rows(organisationId)).toEqual([{ Name: 'Ada' }]);
    expect(await transfers.parts()).toBe(0);
  });

  it('stops when one of its columns was removed', async () => {
    const organisationId = await office.organisation();
    const { id, columns } = await transfers.upload(organisationId, 'Name,Email\nAda,\n');
    const context = newContext({ organisationId });
    await office.tables.removeColumn({ id: columns[1] ?? '' }, context);
    await transfers.importAll();
    expect(await transfers.imports.find({ id }, context)).toMatchObject({
      state: 'failed',
      reason: 'A column that the file names was removed meanwhile',
    });
    expect(transfers.log.filter(({ details }) => 'id' in details && details.id === id)).toEqual([
      {
        level: 'info',
        message: 'failed for good',
        details: {
          what: 'import',
          id,
          organisationId,
          reason: 'A column that the file names was removed meanwhile',
        },
      },
    ]);
  });

  it('is refused at once when its first line is', async () => {
    const organisationId = await office.organisation();
    await expect(transfers.upload(organisationId, 'Nome\nAda\n')).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'header.0' }],
    });
    const { imports } = await transfers.imports.list({}, newContext({ organisationId }));
    expect(imports).toEqual([]);
  });

  it('is taken once, however often its parts are sent', async () => {
    const organisationId = await office.organisation();
    const context = newContext({ organisationId });
    const first = { begins: 0, text: 'Name\nAd', last: false };
    const second = { begins: 7, text: 'a\n', last: true };
    for (const part of [first, first, second, second, first]) await transfers.imports.takePart(part, context);
    const gap = transfers.imports.takePart({ begins: 20, text: 'x', last: true }, context);
    await expect(gap).rejects.toMatchObject({ status: 409 });
    await transfers.importAll();
    for (const part of [first, second]) {
      expect(await transfers.imports.takePart(part, context)).toMatchObject({ state: 'done', created: 1 });
    }
    await transfers.importAll();
    expect(await transfers.rows(organisationId)).toEqual([{ Name: 'Ada' }]);
  });

  it('never starts when its file breaks off, and is forgotten', async () => {
    const organisationId = await office.organisation();
    const context = newContext({ organisationId });
    const { id } = await transfers.imports.takePart({ begins: 0, text: 'Name\nAda\n', last: false }, context);
    await transfers.importAll();
    await transfers.pruner.prune();
    expect(await transfers.imports.find({ id }, context)).toMatchObject({ state: 'uploading', lines: 0 });
    await office.database.execute(
      sql`UPDATE contact_import SET heard_at = now() - interval '1 h' WHERE id = ${id}`,
    );
    await transfers.pruner.prune();
    await expect(transfers.imports.find({ id }, context)).rejects.toMatchObject({ status: 404 });
    const late = transfers.imports.takePart({ begins: 9, text: 'Bola\n', last: true }, context);
    await expect(late).rejects.toMatchObject({ status: 404 });
    expect(await transfers.parts()).toBe(0);
    expect(await transfers.rows(organisationId)).toEqual([]);
  });

  it('is forgotten some time after its end', async () => {
    const organisationId = await office.organisation();
    const { id } = await transfers.import(organisationId, 'Name\nAda\n');
    await office.database.execute(
      sql`UPDATE contact_import SET ended_at = now() - interval '2 h' WHERE id = ${id}`,
    );
    await transfers.pruner.prune();
    await expect(transfers.imports.find({ id }, newContext({ organisationId }))).rejects.toMatchObject({
      status: 404,
    });
    expect(await transfers.rows(organisationId)).toHaveLength(1);
  });

  it('is one of ten at most that are not done', async () => {
    const organisationId = await office.organisation();
    for (let place = 0; place < 10; place += 1) await transfers.upload(organisationId, 'Name\nAda\n');
    await expect(transfers.upload(organisationId, 'Name\nAda\n')).rejects.toMatchObject({ status: 429 });
    await transfers.importAll();
    expect(await transfers.rows(organisationId)).toHaveLength(10);
    await transfers.upload(organisationId, 'Name\nAda\n');
  });

  it('is one of ten at most, however many are begun at the same moment', async () => {
    const organisationId = await office.organisation();
    await office.table(organisationId);
    const begun = Array.from({ length: 15 }, () => transfers.upload(organisationId, 'Name\nAda\n'));
    const outcomes = await Promise.allSettled(begun);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  });

  it('waits for no file that broke off, and leaves room for those that arrive', async () => {
    const organisationId = await office.organisation();
    const begin = () => {
      const context = newContext({ organisationId });
      return transfers.imports.takePart({ begins: 0, text: 'Name\nAda\n', last: false }, context);
    };
    const ids: string[] = [];
    for (let place = 0; place < 10; place += 1) ids.push((await begin()).id);
    const refused = (await begin().catch((error: unknown) => error)) as AppError;
    expect(refused).toMatchObject({ status: 429 });
    expect(refused.retryAfter).toBeGreaterThan(0);
    expect(refused.retryAfter).toBeLessThanOrEqual(180);
    const another = newContext({ organisationId: await office.organisation() });
    const [id = ''] = ids;
    await transfers.imports.abandon({ id }, another);
    await expect(begin()).rejects.toMatchObject({ status: 429 });
    await transfers.imports.abandon({ id }, newContext({ organisationId }));
    await begin();
    await transfers.pruner.prune();
    const context = newContext({ organisationId });
    await expect(transfers.imports.find({ id }, context)).rejects.toMatchObject({ status: 404 });
    expect((await transfers.imports.list({ limit: 20 }, context)).imports).toHaveLength(10);
    await office.database.execute(sql`DELETE FROM contact_import WHERE state = 'uploading'`);
  });

  it('goes on when its file is sent again, cut elsewhere', async () => {
    const organisationId = await office.organisation();
    const context = newContext({ organisationId });
    const take = (begins: number, text: string, last = false) =>
      transfers.imports.takePart({ begins, text, last }, context);
    await take(0, 'Name\nAda\n');
    await take(9, 'Bo');
    await transfers.imports.abandon({ id: context.operationId }, context);
    await take(0, 'Name\nAda\nBola\nChi');
    await transfers.pruner.prune();
    await take(17, 'di\n', true);
    await transfers.importAll();
    expect(await transfers.rows(organisationId)).toEqual([
      { Name: 'Ada' },
      { Name: 'Bola' },
      { Name: 'Chidi' },
    ]);
  });

  it('is seen by nobody else', async () => {
    const [mine, another] = [await office.organisation(), await office.organisation()];
    const { id } = await transfers.upload(mine, 'Name\nAda\n');
    const theirs = newContext({ organisationId: another });
    for (const unknown of [id, newId(), 'x', '']) {
      await expect(transfers.imports.find({ id: unknown }, theirs)).rejects.toMatchObject({
        status: 404,
        message: 'The import was not found',
      });
    }
    const meddling = newContext({ organisationId: another, operationId: id });
    const part = { begins: 9, text: 'Eve\n', last: true };
    await expect(transfers.imports.takePart(part, meddling)).rejects.toMatchObject({ status: 404 });
    expect((await transfers.imports.list({}, theirs)).imports).toEqual([]);
  });

  it('is listed with the others, newest first', async () => {
    const organisationId = await office.organisation();
    const context = newContext({ organisationId });
    const ids: string[] = [];
    for (let place = 0; place < 5; place += 1)
      ids.unshift((await transfers.upload(organisationId, 'Name\nA\n')).id);
    const first = await transfers.imports.list({ limit: 3 }, context);
    const { next = '' } = first.meta.pagination;
    const second = await transfers.imports.list({ limit: 3, before: next }, context);
    expect([...first.imports, ...second.imports].map(({ id }) => id)).toEqual(ids);
    expect(second.meta.pagination).toEqual({ limit: 3 });
  });
});
