import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { aDelivery, aMessage, anOrganisation, anOtp, isFullSuite } from '@gangan/testing';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { masterSealer } from '@gangan/sealing';
import { noPatterns, sourcesFor } from '@gangan/management';
import { AdminCli, dataKey } from '../support/admin-cli.js';
import { AdminFixture } from '../support/admin-fixture.js';
import {
  aNumber,
  clearTables,
  emptyTables,
  mentions,
  type Notations,
  type Planted,
  plantNumber,
  plantShared,
  readableRows,
  tablesOf,
  word,
  insertRow,
} from '../support/planted-number.js';

interface Exported {
  readonly phone: string;
  readonly organisations: readonly ({ organisation: string } & Record<string, Record<string, unknown>[]>)[];
  readonly lookups?: unknown[];
  readonly registries?: unknown[];
  readonly requests_of_providers?: unknown[];
}

/** What docs/operate/personal-data.md says may remain of a number. */
const keptTables = ['dnd_number', 'last_keyword', 'opt_out', 'ported_number', 'smartlist'];

/** The tables at which an interruption is tested. */
const interruptedAt = isFullSuite
  ? ['otp', 'callback', 'contact_row', 'lookup_batch', 'idempotency_claim']
  : ['callback', 'idempotency_claim'];

describe('pnpm admin data', () => {
  const fixture = AdminFixture.use();
  let admin: AdminCli;
  let [acme, other] = ['', ''];
  let [person, neighbour]: [Notations, Notations] = [aNumber(), aNumber()];
  let planted: Planted;

  let tables: string[];
  beforeAll(async () => {
    tables = await emptyTables(fixture.database);
    admin = fixture.cli({ GANGAN_ACTOR: 'ada' });
  });

  const plant = async (): Promise<void> => {
    const { database } = fixture;
    await clearTables(database, tables);
    [person, neighbour] = [aNumber(), aNumber()];
    ({ id: acme } = await anOrganisation(database, { balanceKobo: 100_000n }));
    ({ id: other } = await anOrganisation(database));
    planted = await plantNumber(database, acme, person, neighbour);
    await plantNumber(database, acme, neighbour, aNumber());
    await plantNumber(database, other, person, neighbour);
    await plantShared(database, person);
    await plantShared(database, neighbour);
  };

  const erase = (...options: string[]) => admin.run('data', 'erase', ...options, '--yes');
  const rowsAbout = async (whom: Notations) =>
    (await readableRows(fixture.database)).filter((row) => mentions(whom, row));

  describe('export', () => {
    beforeAll(plant);

    it('contains everything that the organisations have stored about the number, and nothing about others', async () => {
      const { code, out, err } = await admin.run('data', 'export', '--phone', person.spaced);
      expect([code, err]).toEqual([0, expect.stringContaining('messages: 4')]);
      const exported = JSON.parse(out) as Exported;
      expect(exported.phone).toBe(person.e164);
      expect(exported.organisations.map(({ organisation }) => organisation)).toEqual(
        [acme, other].toSorted(),
      );
      const own = exported.organisations.find(({ organisation }) => organisation === acme);
      expect(Object.keys(own ?? {}).toSorted()).toEqual(
        [
          ...['organisation', 'messages', 'otps', 'airtime_purchases', 'received_messages', 'opt_outs'],
          ...['stop_and_start', 'whatsapp_windows', 'help_answers', 'test_outbox', 'contacts', 'callbacks'],
          ...['lookup_batches', 'contact_imports', 'contact_exports'],
        ].toSorted(),
      );
      expect(own?.['messages']?.find(({ id }) => id === planted.sealedMessage)).toMatchObject({
        content: `${word} {{name}}`,
        substitutions: { name: 'Ada' },
        recipient: person.e164,
        charge_kobo: 400,
      });
      expect(own?.['messages']?.find(({ id }) => id === planted.message)).toMatchObject({
        links: [{ clicks: 0, click_times: [expect.any(String)] }],
        attempts: [{ provider: 'simulator' }],
      });
      expect(own?.['received_messages']).toMatchObject([{ text: `I am ${person.national}` }]);
      expect(own?.['contacts']).toHaveLength(3);
      expect(exported.registries).toHaveLength(2);
      expect(exported.lookups).toHaveLength(1);
      expect(exported.requests_of_providers).toHaveLength(1);
      expect(mentions(neighbour, out)).toBe(false);
    });

    it('leaves out the other cells of a contact that only mentions the number', async () => {
      const { database } = fixture;
      const { id: tableId } = await database.contactTable.findFirstOrThrow({
        where: { organisationId: acme },
      });
      const [names, notes] = [newId(), newId()];
      for (const id of [names, notes])
        await insertRow(database, 'contact_column', { id, tableId, name: id, type: 'TEXT', position: 1 });
      const cells = JSON.stringify({ [names]: 'Somebody Else', [notes]: `Brother of ${person.national}` });
      await insertRow(database, 'contact_row', { id: newId(), tableId, cells, matched: '{}' });
      const { out } = await admin.run('data', 'export', '--phone', person.e164, '--organisation', acme);
      const contacts = (JSON.parse(out) as Exported).organisations[0]?.['contacts'] ?? [];
      const cellsOf = contacts.map(({ cells }) => Object.values(cells as Record<string, string>).toSorted());
      expect(cellsOf.toSorted()).toEqual(
        [
          ...[[person.national, 'Ada'], [person.e164], [`Mother of ${person.spaced}`]],
          [`Brother of ${person.national}`],
        ].toSorted(),
      );
    });

    it('of one organisation writes a new file that only the operator can read, and logs it without the number', async () => {
      const file = join(await fixture.folder(), 'person.json');
      const args = ['data', 'export', '--phone', person.e164, '--organisation', acme, '--out', file];
      expect(await admin.run(...args)).toMatchObject({ code: 0, out: '' });
      const exported = JSON.parse(await readFile(file, 'utf8')) as Exported;
      expect(exported.organisations.map(({ organisation }) => organisation)).toEqual([acme]);
      expect(exported).not.toHaveProperty('registries');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(await admin.run(...args)).toMatchObject({
        code: 1,
        err: expect.stringContaining('cannot be written'),
      });
      const [entry] = await fixture.database.auditLog.findMany({
        where: { organisationId: acme, actor: 'ada' },
      });
      expect(entry).toMatchObject({
        action: 'data export',
        target: expect.stringMatching(/^\+234…\d{3} in /),
      });
    });

    it.each(['contact_export_part', 'audit_log'])(
      'leaves no part of the file if it fails: %s',
      async (table) => {
        const file = join(await fixture.folder(), 'part.json');
        // On new connections: statements that were prepared earlier would still find the table.
        const separate = new AdminCli(() => ({ DATABASE_URL: fixture.url }));
        await fixture.database.$executeRawUnsafe(`ALTER TABLE ${table} RENAME TO away`);
        try {
          const { code } = await separate.run('data', 'export', '--phone', person.e164, '--out', file);
          expect(code).toBe(1);
        } finally {
          await fixture.database.$executeRawUnsafe(`ALTER TABLE away RENAME TO ${table}`);
        }
        await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
      },
    );

    it('is empty for a number about which nothing is stored', async () => {
      const { out } = await admin.run('data', 'export', '--phone', '+2348039999999');
      expect(JSON.parse(out)).toMatchObject({ organisations: [], lookups: [], registries: [] });
    });
  });

  describe('erase of a number, refused or as a dry run,', () => {
    beforeAll(plant);

    it('only counts in a dry run', async () => {
      const before = await readableRows(fixture.database);
      const counts = await admin.json<{ table: string; rows: number }[]>(
        ...['data', 'erase', '--phone', person.e164, '--organisation', acme, '--dry-run'],
      );
      expect(counts).toContainEqual({ table: 'delivery', rows: 4 });
      expect(counts).toContainEqual({ table: 'contact_row', rows: 3 });
      expect(await readableRows(fixture.database)).toEqual(before);
    });

    it('needs a confirmation and a valid number', async () => {
      expect(await admin.run('data', 'erase', '--phone', person.e164)).toMatchObject({
        code: 1,
        err: expect.stringContaining('add --yes'),
      });
      expect(await erase('--phone', '112')).toMatchObject({
        code: 1,
        err: expect.stringContaining('is not a phone number'),
      });
      expect(await erase()).toMatchObject({
        code: 1,
        err: expect.stringContaining('--phone, --organisation or both'),
      });
    });
  });

  describe('erase of a number', () => {
    beforeEach(plant);

    it('erases the number everywhere except where the docs say, and nothing of another number', async () => {
      const before = await rowsAbout(neighbour);
      expect(tablesOf(await rowsAbout(person)).length).toBeGreaterThan(25);
      expect(await erase('--phone', person.national)).toMatchObject({ code: 0 });
      expect(tablesOf(await rowsAbout(person))).toEqual(keptTables);
      const after = new Set(await rowsAbout(neighbour));
      // Campaigns lose the person, and with it only that.
      const changed = before.filter((row) => !after.has(row));
      expect(tablesOf(changed)).toEqual(['message', 'message.sealed_text']);
      expect(after.size).toBe(before.length);
      expect((await admin.run('ledger', 'check')).code).toBe(0);
    });

    it('keeps numbers of other countries with the same digits', async () => {
      const { database } = fixture;
      const local = person.e164.slice(4);
      const american = `+1 (${local.slice(0, 3)}) ${local.slice(3, 6)}-${local.slice(6)}`;
      const { id: tableId } = await database.contactTable.findFirstOrThrow({
        where: { organisationId: acme },
      });
      const [phones, amounts, notes, days] = [newId(), newId(), newId(), newId()];
      const types = { [phones]: 'PHONE NUMBER', [amounts]: 'NUMBER', [notes]: 'TEXT', [days]: 'DATE' };
      for (const [id, type] of Object.entries(types))
        await insertRow(database, 'contact_column', { id, tableId, name: `Other ${id}`, type, position: 1 });
      const cells = {
        [phones]: american,
        [amounts]: local,
        [notes]: `+44 ${local}, ${local}.5, 0.${local}`,
        [days]: local,
      };
      await insertRow(database, 'contact_row', {
        ...{ id: newId(), tableId, cells: JSON.stringify(cells) },
        matched: JSON.stringify({ [phones]: `+1${local}`, [amounts]: local }),
      });
      const imported = newId();
      const columns = { delimiter: ',', columns: [], state: 'done', endedAt: new Date() };
      await insertRow(database, 'contact_import', { id: imported, tableId, ...columns });
      await insertRow(database, 'contact_rejected_part', {
        ...{ importId: imported, number: 1 },
        data: Buffer.from(`Bola,+44 ${local},0.${local}\r\nÀdá,${american}\r\n`),
      });
      const callback = newId();
      await insertRow(database, 'callback', {
        ...{ id: callback, organisationId: acme, type: 'message.delivered', resourceId: newId() },
        ...{ url: 'https://a.example/', host: 'a.example', requestId: 'r' },
        body: JSON.stringify({ data: { recipient: neighbour.national, external_ref: local } }),
      });
      const others = async () =>
        (await readableRows(database)).filter((row) =>
          [tableId, imported, callback].some((id) => row.includes(id)),
        );
      const isOthers = (row: string) =>
        row.includes(american) || row.includes(imported) || row.includes(callback);
      const before = (await others()).filter(isOthers);
      expect(before.length).toBeGreaterThanOrEqual(4);
      expect(await erase('--phone', person.e164)).toMatchObject({ code: 0 });
      expect((await others()).filter(isOthers)).toEqual(before);
    });

    it('keeps amounts, states and times, which the books need', async () => {
      const booksOf = () =>
        fixture.database.query(sql`
          SELECT id, charge_kobo, state::text, refunded, created_at, updated_at FROM delivery
          UNION ALL SELECT id, charge_kobo, status::text, NULL, created_at, updated_at FROM otp
          UNION ALL SELECT id, amount_kobo, state::text, refunded, created_at, updated_at FROM airtime_purchase
          UNION ALL SELECT id, charge_kobo, encoding, NULL, created_at, send_at FROM message ORDER BY 1`);
      const before = await booksOf();
      expect(await erase('--phone', person.e164)).toMatchObject({ code: 0 });
      expect(await booksOf()).toEqual(before);
      const message = await fixture.database.message.findUnique({ where: { id: planted.message } });
      expect(message).toMatchObject({
        recipients: ['erased'],
        content: '',
        externalRef: null,
        callbackUrl: null,
      });
      const campaign = await fixture.database.message.findUnique({ where: { id: planted.campaign } });
      expect(campaign).toMatchObject({
        recipients: [neighbour.national, 'erased'],
        content: `${word} {{name}}`,
        personalisation: [{ to: neighbour.spaced, substitutions: { name: 'Bola' } }],
      });
      expect(await fixture.database.otp.findUnique({ where: { id: planted.otp } })).toMatchObject({
        recipient: 'erased',
        recipientGiven: 'erased',
      });
    });

    it('erases the number in one organisation, and then in the other', async () => {
      expect(await erase('--phone', person.e164, '--organisation', acme)).toMatchObject({ code: 0 });
      const left = await rowsAbout(person);
      expect(left.some((row) => row.startsWith('live_finding') || row.startsWith('inbound_request.'))).toBe(
        true,
      );
      const deliveries = await fixture.database.delivery.findMany({ where: { recipient: person.e164 } });
      expect(new Set(deliveries.map(({ organisationId }) => organisationId))).toEqual(new Set([other]));
      expect(await erase('--phone', person.e164)).toMatchObject({ code: 0 });
      expect(tablesOf(await rowsAbout(person))).toEqual(keptTables);
    });

    it('erases opt-outs if the operator says so', async () => {
      expect(await erase('--phone', person.e164, '--with-opt-outs')).toMatchObject({ code: 0 });
      expect(tablesOf(await rowsAbout(person))).toEqual(['dnd_number', 'ported_number', 'smartlist']);
      expect(await fixture.database.optOut.count({ where: { phone: neighbour.e164 } })).toBe(1);
    });

    it('changes nothing when it is repeated', async () => {
      expect(await erase('--phone', person.e164)).toMatchObject({ code: 0 });
      const before = await readableRows(fixture.database);
      expect(await erase('--phone', person.e164)).toMatchObject({
        code: 0,
        out: expect.stringContaining('Nothing is stored about +234…'),
      });
      expect(await readableRows(fixture.database)).toEqual(before);
      const entries = await fixture.database.auditLog.findMany({ where: { action: 'data erase' } });
      for (const entry of entries) expect(mentions(person, JSON.stringify(entry))).toBe(false);
    });

    it('erases the rest when it is repeated after an interruption', async () => {
      await fixture.database.$executeRawUnsafe(`
        CREATE FUNCTION interrupt() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'interrupted'; END $$`);
      try {
        for (const table of interruptedAt) {
          await fixture.database.$executeRawUnsafe(
            `CREATE TRIGGER interrupt BEFORE UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION interrupt()`,
          );
          expect(await erase('--phone', person.e164)).toMatchObject({ code: 1 });
          await fixture.database.$executeRawUnsafe(`DROP TRIGGER interrupt ON ${table}`);
        }
        expect(await erase('--phone', person.e164)).toMatchObject({ code: 0 });
      } finally {
        await fixture.database.$executeRawUnsafe('DROP FUNCTION interrupt CASCADE');
      }
      expect(tablesOf(await rowsAbout(person))).toEqual(keptTables);
    });

    it.each([
      [
        'message',
        async () => {
          const messageId = await aMessage(fixture.database, other, { recipients: [person.national] });
          await aDelivery(fixture.database, other, { messageId, state: 'sent', recipient: person.e164 });
          return messageId;
        },
      ],
      ['OTP', () => anOtp(fixture.database, other, { recipient: person.e164, dueAt: new Date() })],
      [
        'airtime purchase',
        async () => {
          const { id } = await fixture.database.airtimePurchase.findFirstOrThrow({
            where: { organisationId: other, recipient: person.e164 },
          });
          await fixture.database.airtimePurchase.update({ where: { id }, data: { state: 'error' } });
          return id;
        },
      ],
      [
        'lookup batch',
        async () => {
          const id = newId();
          await fixture.database
            .execute(sql`INSERT INTO lookup_batch (id, organisation_id, phones, next_attempt_at)
          VALUES (${id}::uuid, ${other}::uuid, ${[person.spaced]}::text[], now())`);
          return id;
        },
      ],
    ])('changes nothing while an item is not final: %s', async (what, begin) => {
      const id = await begin();
      const before = await readableRows(fixture.database);
      const { code, err } = await erase('--phone', person.e164);
      expect(code).toBe(1);
      expect(err).toContain('1 item is not final yet');
      expect(err).toMatch(new RegExp(`/test: ${what} ${id}$`, 'm'));
      expect(err).toContain('in the other organisations with --organisation');
      expect(await readableRows(fixture.database)).toEqual(before);
    });

    it('names paused and scheduled messages in the error', async () => {
      const { database } = fixture;
      const begin = async (message: object): Promise<string> => {
        const messageId = await aMessage(database, other, { recipients: [person.national], ...message });
        await aDelivery(database, other, { messageId, state: 'queued', recipient: person.e164 });
        return messageId;
      };
      const paused = await begin({ pausedAt: new Date() });
      const scheduled = await begin({ sendAt: new Date(Date.now() + 86_400_000) });
      const { err } = await erase('--phone', person.e164);
      expect(err).toContain(`message ${paused} (paused)`);
      expect(err).toContain(`message ${scheduled} (scheduled)`);
      expect(err).toContain('POST /sms/{id}/cancel');
      expect(await erase('--phone', person.e164, '--organisation', acme)).toMatchObject({ code: 0 });
    });

    it('deletes a sealed text that it cannot open only with --delete-unreadable', async () => {
      const sealed = Buffer.from('sealed with a key that is lost');
      await fixture.database.message.update({
        where: { id: planted.sealedMessage },
        data: { sealedText: sealed },
      });
      const file = join(await fixture.folder(), 'sealed.json');
      const options = ['--phone', person.e164, '--organisation', acme];
      expect(await admin.run('data', 'export', ...options, '--out', file)).toMatchObject({ code: 0 });
      const exported = JSON.parse(await readFile(file, 'utf8')) as Exported;
      expect(JSON.stringify(exported)).toContain('(sealed with a key of another DATA_MASTER_KEY)');
      expect(await erase(...options)).toMatchObject({
        code: 1,
        err: expect.stringContaining('--delete-unreadable'),
      });
      const kept = await fixture.database.message.findUnique({ where: { id: planted.sealedMessage } });
      expect(Buffer.from(kept?.sealedText ?? [])).toEqual(sealed);
      expect(await erase(...options, '--delete-unreadable')).toMatchObject({
        code: 0,
        err: expect.stringContaining('1 text of a message to several recipients could not be opened'),
      });
      expect(
        await fixture.database.message.findUnique({ where: { id: planted.sealedMessage } }),
      ).toMatchObject({
        sealedText: null,
        content: '',
        recipients: ['erased', neighbour.spaced],
      });
    });

    it('reports how many requests of providers are not processed yet', async () => {
      await fixture.database.execute(
        sql`UPDATE inbound_request SET state = 'received', next_attempt_at = now() WHERE id = (SELECT max(id::text)::uuid FROM inbound_request)`,
      );
      expect((await erase('--phone', person.e164)).err).toContain(
        '1 request of a provider is not processed yet',
      );
    });
  });

  describe('erase of an organisation', () => {
    beforeEach(plant);

    it('keeps a message that becomes due meanwhile', async () => {
      const messageId = await aMessage(fixture.database, acme, {
        recipients: [person.national],
        content: word,
      });
      await aDelivery(fixture.database, acme, { messageId, state: 'queued', recipient: person.e164 });
      const scope = { organisationId: acme, phone: null, patterns: noPatterns };
      const [source] = sourcesFor(true, true);
      const tools = { sealer: masterSealer([dataKey]), region: 'NG', onUnreadable: () => undefined };
      const erasing = (ids: string[]) =>
        fixture.database.transaction(async (transaction) => source?.erase(transaction, scope, ids, tools));
      expect(await erasing([messageId])).toBe(0);
      expect(await fixture.database.message.findUnique({ where: { id: messageId } })).toMatchObject({
        content: word,
        recipients: [person.national],
      });
      expect(await erasing([planted.message])).toBe(1);
    });

    it('refuses an organisation that is not suspended', async () => {
      const before = await readableRows(fixture.database);
      expect(await erase('--organisation', acme)).toMatchObject({
        code: 1,
        err: expect.stringContaining('suspend it first with `pnpm admin organisations suspend Test/test`.'),
      });
      expect(await readableRows(fixture.database)).toEqual(before);
    });

    it('erases its keys, but neither its books nor another organisation', async () => {
      await fixture.database.organisation.update({ where: { id: acme }, data: { status: 'suspended' } });
      await admin.json('keys', 'issue', acme, '--name', 'Test');
      const others = async () => (await rowsAbout(person)).filter((row) => row.includes(other));
      const before = await others();
      expect(await erase('--organisation', acme)).toMatchObject({ code: 0 });
      expect(await others()).toEqual(before);
      for (const whom of [person, neighbour]) {
        const left = (await rowsAbout(whom)).filter((row) => row.includes(acme));
        expect(left).toEqual([]);
      }
      const keys = await fixture.database.apiKey.findMany({ where: { organisationId: acme } });
      expect(keys.map(({ revokedAt }) => revokedAt)).toEqual([expect.any(Date)]);
      const messages = await fixture.database.message.findMany({ where: { organisationId: acme } });
      expect(messages).toHaveLength(8);
      for (const message of messages)
        expect(message).toMatchObject({ content: '', personalisation: null, sealedText: null });
      const rows = await fixture.database.contactRow.findMany({ where: { table: { organisationId: acme } } });
      expect(rows).toEqual([]);
      expect((await admin.run('ledger', 'check')).code).toBe(0);
    });
  });
});
