import { type AppError, firstIdAt, newContext, newId } from '@gangan/protocol';
import { sql } from '@gangan/database';
import { Retention } from '@gangan/leases';
import { anEndpoint, configFor } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { ContactsConfig } from '../src/contacts.config.js';
import { RowsRepository } from '../src/rows/rows.repository.js';
import { UpsertsRepository } from '../src/rows/upserts.repository.js';
import { TestContacts } from './support/test-contacts.js';
import { Transfers } from './support/transfers.js';

let contacts: TestContacts;
let transfers: Transfers;
beforeAll(async () => {
  contacts = await TestContacts.open();
  transfers = await Transfers.open(contacts);
});
afterAll(() => contacts.close());

describe('an import', () => {
  it('is queued when its file is complete, and adds a row per line', async () => {
    const organisationId = await contacts.organisation();
    const text = '\uFEFFname,Mobile,EMAIL\r\n"Okafor, Ada",0803 123 4567,ada@example.com\r\n\r\nBola,,\r\n';
    const queued = await transfers.upload(organisationId, text, { size: 25 });
    const names = new Map((await contacts.table(organisationId)).columns.map(({ id, name }) => [id, name]));
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

  it('is reported to the endpoints of its organisation when it ends', async () => {
    const organisationId = await contacts.organisation();
    const endpointId = await anEndpoint(contacts.database, organisationId, { events: ['import.finished'] });
    const done = await transfers.import(organisationId, 'Name,Email\nAda,ada@example.com\nBola,x\n');
    const failed = await transfers.import(organisationId, 'Name\nAda\n"Bola\n');
    expect([done.state, failed.state]).toEqual(['done', 'failed']);
    const stored = await contacts.database.callback.findMany({
      where: { organisationId },
      orderBy: { id: 'asc' },
    });
    expect(stored).toMatchObject([
      { endpointId, type: 'import.finished', resourceId: done.id },
      { endpointId, type: 'import.finished', resourceId: failed.id },
    ]);
    expect(stored.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      {
        type: 'import.finished',
        timestamp: done.ended_datetime,
        data: {
          id: done.id,
          state: 'done',
          lines: 2,
          created: 1,
          updated: 0,
          rejected: 1,
          created_datetime: done.created_datetime,
          ended_datetime: done.ended_datetime,
        },
      },
      expect.objectContaining({ data: expect.objectContaining({ state: 'failed', reason: failed.reason }) }),
    ]);
  });

  it('rejects invalid lines, and reports the first hundred', async () => {
    const organisationId = await contacts.organisation();
    const bad = Array.from({ length: 150 }, (_, index) => `x${index},not an address\n`).join('');
    const text = `Name,Email\nAda,ada@example.com\nBola\n"Chi\ndi",x,y\n${bad}Dayo,dayo@example.com`;
    const done = await transfers.import(organisationId, text);
    const [, email] = done.columns;
    expect(done).toMatchObject({ state: 'done', lines: 154, created: 2, rejected: 152 });
    expect(done.problems).toHaveLength(100);
    expect(done.problems.slice(0, 3)).toEqual([
      { line: 3, message: 'The line has 1 cells instead of 2' },
      { line: 4, message: 'The line has 3 cells instead of 2' },
      { line: 6, column_id: email, message: 'Email must be an email address' },
    ]);
    expect((await transfers.rows(organisationId)).map(({ Name }) => Name)).toEqual(['Ada', 'Dayo']);
  });

  it('keeps all rejected lines in a file, each with its number, the reason and its text', async () => {
    const organisationId = await contacts.organisation();
    const bad = Array.from({ length: 150 }, (_, index) => `x${index},not an address`);
    const odd = ['=1+1,"x, ""y"""', "'-2,z", '"Chi\r\ndi",x,ẹ🙂'];
    const text = `Name,Email\nAda,ada@example.com\n\n${[...odd, ...bad].join('\n')}\n`;
    const done = await transfers.import(organisationId, text, { size: 700 });
    expect(done).toMatchObject({ state: 'done', created: 1, rejected: 153 });
    expect(done.problems).toHaveLength(100);
    expect(done.rejected_file).toBe(`/lists/contact/imports/${done.id}/rejected`);
    const file = await transfers.rejected(organisationId, done.id);
    const reason = 'Email must be an email address';
    expect(parse(file, { record_delimiter: '\r\n' })).toEqual([
      ['line', 'reason', 'text'],
      ['4', reason, '\'=1+1,"x, ""y"""'],
      ['5', reason, "''-2,z"],
      ['6', 'The line has 3 cells instead of 2', '"Chi\r\ndi",x,ẹ🙂'],
      ...bad.map((line, index) => [String(8 + index), reason, line]),
    ]);
  });

  it('has a file of rejected lines when it has ended, also if none was rejected or it failed', async () => {
    const organisationId = await contacts.organisation();
    const context = newContext({ organisationId });
    const { id } = await transfers.upload(organisationId, 'Name\nAda\n');
    await expect(transfers.imports.readRejectedPart({ id, number: 0 }, context)).rejects.toMatchObject({
      status: 409,
      code: 'not_done',
    });
    await transfers.importAll();
    expect(await transfers.imports.find({ id }, context)).not.toHaveProperty('rejected_file');
    expect(await transfers.rejected(organisationId, id)).toBe('line,reason,text\r\n');
    const failed = await transfers.import(organisationId, 'Name\nAda,x\n"Bola\n');
    expect(failed).toMatchObject({ state: 'failed', rejected: 1 });
    expect(failed.rejected_file).toBeDefined();
    expect(await transfers.rejected(organisationId, failed.id)).toContain('\r\n2,The line has 2 cells');
    for (const [unknown, number] of [
      [failed.id, 2],
      [newId(), 0],
      ['x', 0],
    ] as const)
      await expect(
        transfers.imports.readRejectedPart({ id: unknown, number }, context),
      ).rejects.toMatchObject({
        status: 404,
      });
    const theirs = newContext({ organisationId: await contacts.organisation() });
    await expect(
      transfers.imports.readRejectedPart({ id: failed.id, number: 0 }, theirs),
    ).rejects.toMatchObject({ status: 404 });
  });

  it('has no file of rejected lines if an earlier version did not keep them', async () => {
    const organisationId = await contacts.organisation();
    const { id } = await transfers.import(organisationId, 'Name\nAda\n');
    await contacts.database.execute(
      sql`UPDATE contact_import SET rejected = 2, lines = lines + 2 WHERE id = ${id}`,
    );
    const context = newContext({ organisationId });
    await expect(transfers.imports.readRejectedPart({ id, number: 0 }, context)).rejects.toMatchObject({
      status: 404,
    });
  });

  it('reads dates as dd/mm/yyyy if requested', async () => {
    const organisationId = await contacts.organisation();
    await contacts.tables.addColumn({ name: 'Born', type: 'DATE' }, newContext({ organisationId }));
    const dates = [
      '15/11/2026',
      '1/2/2026',
      ' 03/04/1999 ',
      '',
      '31/02/2026',
      '2026-11-15',
      '11/15/2026',
      'x',
    ];
    const text = `Name,Born\n${dates.map((date, index) => `n${index},${date}\n`).join('')}`;
    const done = await transfers.import(organisationId, text, { date_format: 'dd/mm/yyyy' });
    expect(await transfers.rows(organisationId)).toEqual([
      { Name: 'n0', Born: '2026-11-15' },
      { Name: 'n1', Born: '2026-02-01' },
      { Name: 'n2', Born: '1999-04-03' },
      { Name: 'n3' },
    ]);
    const message = 'Born must be a date as dd/mm/yyyy, such as 15/11/2026';
    expect(done.problems.map((problem) => [problem.line, problem.message])).toEqual(
      [6, 7, 8, 9].map((line) => [line, message]),
    );
    const usual = await transfers.import(organisationId, 'Born\n15/11/2026\n2026-11-15\n');
    expect(usual).toMatchObject({ created: 1, problems: [{ line: 2 }] });
    expect(usual.problems[0]?.message).toContain('must be a date such as 2026-11-15');
  });

  it('updates rows with an equal value, and the last line wins', async () => {
    const organisationId = await contacts.organisation();
    await contacts.add(organisationId, { Name: 'Ada', Mobile: '+2348031234567', Email: 'ada@example.com' });
    const text = [
      'Mobile,Name',
      '0803 123 4567,Ada O.',
      '08030000001,New',
      '+234 803 000 0001,Newer',
      '08031234567,',
      ',no number',
    ].join('\n');
    const done = await transfers.import(organisationId, text, { upsert: 'mobile' });
    expect(done).toMatchObject({ lines: 5, created: 1, updated: 3, rejected: 1 });
    expect(done.problems).toEqual([
      { line: 6, column_id: done.columns[0], message: 'Mobile is empty, but rows are matched by it' },
    ]);
    expect(await transfers.rows(organisationId)).toEqual([
      { Mobile: '08031234567', Email: 'ada@example.com' },
      { Mobile: '+234 803 000 0001', Name: 'Newer' },
    ]);
  });

  it('adds a row if the matching row is deleted at the same time', async () => {
    const organisationId = await contacts.organisation();
    const { id: tableId, columns } = await contacts.table(organisationId);
    const [email = ''] = columns.filter(({ name }) => name === 'Email').map(({ id }) => id);
    const ids: string[] = [];
    for (const name of ['ada', 'bola']) {
      ids.push(await contacts.add(organisationId, { Email: `${name}@example.com` }));
    }
    const rows = contacts.get(RowsRepository);
    const patchAll = rows.patchAll.bind(rows);
    rows.patchAll = async (runner, changes) => {
      await contacts.database.execute(
        sql`DELETE FROM contact_row WHERE table_id = ${tableId} AND id = ${ids[0]}::uuid`,
      );
      return patchAll(runner, changes);
    };
    const lines = ['ADA@example.com', 'bola@Example.com', 'chidi@example.com'].map((address) => ({
      tableId,
      id: newId(),
      createdAt: new Date(),
      written: { [email]: address },
      matched: {},
      cleared: [],
    }));
    const done = await contacts.database.transaction((transaction) =>
      new UpsertsRepository(rows).upsert(transaction, email, lines),
    );
    expect(done).toEqual({ created: 2, updated: 1 });
    expect((await transfers.rows(organisationId)).map(({ Email }) => Email).sort()).toEqual([
      'ADA@example.com',
      'bola@Example.com',
      'chidi@example.com',
    ]);
  });

  it('fails at an unclosed quote, and keeps the rows before it', async () => {
    const organisationId = await contacts.organisation();
    const done = await transfers.import(organisationId, 'Name\nAda\n"Bola\nChidi\n');
    expect(done).toMatchObject({
      state: 'failed',
      reason: 'A quote that opens on line 3 or later is not closed',
      created: 1,
    });
    expect(await transfers.rows(organisationId)).toEqual([{ Name: 'Ada' }]);
    expect(await transfers.parts()).toBe(0);
  });

  it('fails if one of its columns is removed', async () => {
    const organisationId = await contacts.organisation();
    const { id, columns } = await transfers.upload(organisationId, 'Name,Email\nAda,\n');
    const context = newContext({ organisationId });
    await contacts.tables.removeColumn({ id: columns[1] ?? '' }, context);
    await transfers.importAll();
    expect(await transfers.imports.find({ id }, context)).toMatchObject({
      state: 'failed',
      reason: 'A column of the file was removed during the import',
    });
    expect(transfers.log.filter(({ details }) => 'id' in details && details.id === id)).toEqual([
      {
        level: 'info',
        message: 'the transfer failed and is not retried',
        details: {
          job: 'import',
          id,
          organisationId,
          reason: 'A column of the file was removed during the import',
        },
      },
    ]);
  });

  it('is refused if its first line is invalid', async () => {
    const organisationId = await contacts.organisation();
    await expect(transfers.upload(organisationId, 'Nome\nAda\n')).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'header.0' }],
    });
    const { imports } = await transfers.imports.list({}, newContext({ organisationId }));
    expect(imports).toEqual([]);
  });

  it('is stored once if its parts are sent again', async () => {
    const organisationId = await contacts.organisation();
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

  it('refuses parts of another file under the same id, while it is uploaded and afterwards', async () => {
    const organisationId = await contacts.organisation();
    const context = newContext({ organisationId });
    const take = (begins: number, text: string, sha256?: string) =>
      transfers.imports.takePart(
        { begins, text, last: sha256 !== undefined, ...(sha256 !== undefined && { sha256 }) },
        context,
      );
    await take(0, 'Name\nAda\n');
    await take(9, 'Bola\n');
    await expect(take(0, 'Name\nEve\n')).rejects.toMatchObject({ status: 422 });
    await expect(take(7, 'a\nEve\nBola\n')).rejects.toMatchObject({ status: 422 });
    await take(5, 'Ada\nBola\nChi\n', 'of the first file');
    await transfers.importAll();
    await expect(take(0, 'Name\nEve\n', 'of another')).rejects.toMatchObject({ status: 422 });
    expect(await take(14, 'Chi\n', 'of the first file')).toMatchObject({ state: 'done', created: 3 });
    expect(await transfers.rows(organisationId)).toEqual([
      { Name: 'Ada' },
      { Name: 'Bola' },
      { Name: 'Chi' },
    ]);
  });

  it('never starts if its upload breaks off, and is deleted', async () => {
    const organisationId = await contacts.organisation();
    const context = newContext({ organisationId });
    const { id } = await transfers.imports.takePart({ begins: 0, text: 'Name\nAda\n', last: false }, context);
    await transfers.importAll();
    await transfers.contacts.retention.prune();
    expect(await transfers.imports.find({ id }, context)).toMatchObject({ state: 'uploading', lines: 0 });
    await contacts.database.execute(
      sql`UPDATE contact_import SET heard_at = now() - interval '1 h' WHERE id = ${id}`,
    );
    await transfers.contacts.retention.prune();
    await expect(transfers.imports.find({ id }, context)).rejects.toMatchObject({ status: 404 });
    const late = transfers.imports.takePart({ begins: 9, text: 'Bola\n', last: true }, context);
    await expect(late).rejects.toMatchObject({ status: 404 });
    expect(await transfers.parts()).toBe(0);
    expect(await transfers.rows(organisationId)).toEqual([]);
  });

  it('is deleted earlier if its organisation keeps imports for less time', async () => {
    const [own, other] = [await contacts.organisation(), await contacts.organisation()];
    await contacts.database.organisationRetention.create({
      data: { kind: 'imports', organisationId: own, days: 10 },
    });
    const worker = await contacts.worker([configFor(ContactsConfig, { CONTACT_IMPORT_KEPT_FOR: '720h' })]);
    const aged = async (organisationId: string, days: number): Promise<string> => {
      const { id } = await transfers.import(organisationId, 'Name\nAda\n');
      const before = firstIdAt(new Date(Date.now() - days * 86_400_000)).slice(0, 24) + id.slice(24);
      await contacts.database.execute(sql`UPDATE contact_import SET id = ${before}::uuid,
        ended_at = now() - ${days}::float8 * interval '1 day' WHERE id = ${id}`);
      return before;
    };
    await aged(own, 11);
    const kept = [await aged(own, 9), await aged(other, 11)];
    await worker.get(Retention).prune('contact_import');
    const found = await contacts.database.contactImport.findMany({
      where: { table: { organisationId: { in: [own, other] } } },
    });
    expect(found.map(({ id }) => id).toSorted()).toEqual(kept.toSorted());
  });

  it('is deleted some time after its end', async () => {
    const organisationId = await contacts.organisation();
    const { id } = await transfers.import(organisationId, 'Name\nAda\nBola,x\n');
    await contacts.database.execute(
      sql`UPDATE contact_import SET ended_at = now() - interval '2 h' WHERE id = ${id}`,
    );
    await transfers.contacts.retention.prune();
    await expect(transfers.imports.find({ id }, newContext({ organisationId }))).rejects.toMatchObject({
      status: 404,
    });
    expect(await transfers.rows(organisationId)).toHaveLength(1);
    expect(await contacts.database.contactRejectedPart.count({ where: { importId: id } })).toBe(0);
  });

  it('is refused if ten have not finished', async () => {
    const organisationId = await contacts.organisation();
    for (let index = 0; index < 10; index += 1) await transfers.upload(organisationId, 'Name\nAda\n');
    await expect(transfers.upload(organisationId, 'Name\nAda\n')).rejects.toMatchObject({ status: 429 });
    await transfers.importAll();
    expect(await transfers.rows(organisationId)).toHaveLength(10);
    await transfers.upload(organisationId, 'Name\nAda\n');
  });

  it('is rejected beyond ten, also for concurrent starts', async () => {
    const organisationId = await contacts.organisation();
    await contacts.table(organisationId);
    const begun = Array.from({ length: 15 }, () => transfers.upload(organisationId, 'Name\nAda\n'));
    const outcomes = await Promise.allSettled(begun);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  });

  it('does not count broken uploads, and counts uploads separately', async () => {
    const organisationId = await contacts.organisation();
    const begin = () => {
      const context = newContext({ organisationId });
      return transfers.imports.takePart({ begins: 0, text: 'Name\nAda\n', last: false }, context);
    };
    const ids: string[] = [];
    for (let index = 0; index < 10; index += 1) ids.push((await begin()).id);
    const refused = (await begin().catch((error: unknown) => error)) as AppError;
    expect(refused).toMatchObject({ status: 429 });
    expect(refused.retryAfter).toBeGreaterThan(0);
    expect(refused.retryAfter).toBeLessThanOrEqual(180);
    const another = newContext({ organisationId: await contacts.organisation() });
    const [id = ''] = ids;
    await transfers.imports.abandon({ id }, another);
    await expect(begin()).rejects.toMatchObject({ status: 429 });
    await transfers.imports.abandon({ id }, newContext({ organisationId }));
    await begin();
    await transfers.contacts.retention.prune();
    const context = newContext({ organisationId });
    await expect(transfers.imports.find({ id }, context)).rejects.toMatchObject({ status: 404 });
    expect((await transfers.imports.list({ limit: 20 }, context)).imports).toHaveLength(10);
    await contacts.database.execute(sql`DELETE FROM contact_import WHERE state = 'uploading'`);
  });

  it('continues if its file is sent again in other parts', async () => {
    const organisationId = await contacts.organisation();
    const context = newContext({ organisationId });
    const take = (begins: number, text: string, last = false) =>
      transfers.imports.takePart({ begins, text, last }, context);
    await take(0, 'Name\nAda\n');
    await take(9, 'Bo');
    await transfers.imports.abandon({ id: context.operationId }, context);
    await take(0, 'Name\nAda\nBola\nChi');
    await transfers.contacts.retention.prune();
    await take(17, 'di\n', true);
    await transfers.importAll();
    expect(await transfers.rows(organisationId)).toEqual([
      { Name: 'Ada' },
      { Name: 'Bola' },
      { Name: 'Chidi' },
    ]);
  });

  it('is hidden from other organisations', async () => {
    const [mine, another] = [await contacts.organisation(), await contacts.organisation()];
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

  it('is listed, newest first', async () => {
    const organisationId = await contacts.organisation();
    const context = newContext({ organisationId });
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1)
      ids.unshift((await transfers.upload(organisationId, 'Name\nA\n')).id);
    const first = await transfers.imports.list({ limit: 3 }, context);
    const { next = '' } = first.meta.pagination;
    const second = await transfers.imports.list({ limit: 3, before: next }, context);
    expect([...first.imports, ...second.imports].map(({ id }) => id)).toEqual(ids);
    expect(second.meta.pagination).toEqual({ limit: 3 });
  });
});
