import { type Database, Prisma, sql } from '@gangan/database';
import { sealedTables } from '@gangan/storage';
import { newId } from '@gangan/protocol';
import { InboundContents } from '@gangan/providers';
import { masterSealer } from '@gangan/sealing';
import { aDelivery, aMessage, anOtp } from '@gangan/testing';
import { dataKey } from './admin-cli.js';

/** A number in the notations that callers use. */
export interface Notations {
  readonly e164: string;
  readonly national: string;
  readonly spaced: string;
}

/** A number that no other test uses. */
export const aNumber = (): Notations => {
  numbers += 1;
  const last = String(numbers).padStart(4, '0');
  return { e164: `+234803111${last}`, national: `0803111${last}`, spaced: `0803 111 ${last}` };
};

let numbers = 1000;
const sealer = masterSealer([dataKey]);
export const word = 'Uncopyrightable';

/** The last row of each kind that was planted. */
export interface Planted {
  readonly message: string;
  readonly sealedMessage: string;
  readonly campaign: string;
  readonly otp: string;
  readonly purchase: string;
}

/** Stores something about a number in every table that can hold it. `other` is a second recipient of campaigns. */
export async function plantNumber(
  database: Database,
  organisationId: string,
  { e164, national, spaced }: Notations,
  other: Notations,
): Promise<Planted> {
  const values = (to: string, name: string) => ({ to, substitutions: { name } });
  const insert = (table: string, row: Record<string, unknown>) => insertRow(database, table, row);
  const single = await aMessage(database, organisationId, {
    recipients: [spaced],
    content: `${word} ${national}`,
    externalRef: `order ${national}`,
    callbackUrl: `https://a.example/?to=${national}`,
  });
  const to = { recipient: e164, recipientGiven: spaced };
  const delivered = { state: 'delivered', errorMessage: `The number ${e164} is odd` };
  const delivery = await aDelivery(database, organisationId, { messageId: single, ...to, ...delivered });
  await insert('delivery_attempt', {
    deliveryId: delivery,
    attempt: 1,
    provider: 'simulator',
    outcome: 'accepted',
    errorMessage: `Sent to ${national}`,
  });
  // As Meta's: the number is inside, in base64.
  const wamid = `wamid.${Buffer.from(`\u001c\u0018${e164.slice(1)}\u0015${newId()}`).toString('base64')}`;
  await database.execute(sql`UPDATE delivery SET provider_reference = ${wamid} WHERE id = ${delivery}::uuid`);
  await insert('provider_reference', {
    provider: 'meta',
    reference: wamid,
    deliveryId: delivery,
    attempt: 1,
  });
  const code = newId().replaceAll('-', '');
  await insert('tracked_link', {
    code,
    deliveryId: delivery,
    position: 0,
    url: `https://a.example/${national}`,
  });
  await insert('link_click', { id: newId(), code });
  await insert('simulated_message', {
    id: newId(),
    reference: delivery,
    channel: 'sms',
    recipient: e164,
    outcome: 'accepted',
  });

  const id = newId();
  const text = JSON.stringify([
    `${word} {{name}}`,
    [values(national, 'Ada'), values(other.national, 'Bola')],
  ]);
  const sealedMessage = await aMessage(database, organisationId, {
    id,
    recipients: [spaced, other.spaced],
    content: null,
    sealedText: sealer.seal(text, { column: 'message.sealed_text', organisationId, id }),
  });
  const campaign = await aMessage(database, organisationId, {
    recipients: [other.national, national],
    content: `${word} {{name}}`,
    personalisation: JSON.stringify([values(spaced, 'Ada'), values(other.spaced, 'Bola')]),
  });
  for (const messageId of [sealedMessage, campaign]) {
    const given = messageId === campaign ? 'national' : 'spaced';
    const ended = { messageId, state: 'delivered' };
    await aDelivery(database, organisationId, {
      ...ended,
      recipient: e164,
      recipientGiven: given === 'national' ? national : spaced,
    });
    await aDelivery(database, organisationId, {
      ...ended,
      recipient: other.e164,
      recipientGiven: given === 'national' ? other.national : other.spaced,
    });
  }
  const listed = await aMessage(database, organisationId, { recipients: [], smartlistId: newId() });
  await aDelivery(database, organisationId, {
    messageId: listed,
    ...to,
    state: 'delivered',
    substitutions: JSON.stringify({ phone: national }),
  });

  const otp = await anOtp(database, organisationId, { recipient: e164, recipientGiven: national, status: 2 });
  await aDelivery(database, organisationId, { otpId: otp, ...to, state: 'delivered' });
  await insert('otp_verification', {
    id: newId(),
    otpId: otp,
    organisationId,
    recipient: e164,
    outcome: 'verified',
    attemptsLeft: 4,
  });

  const purchase = newId();
  await insert('airtime_purchase', {
    id: purchase,
    organisationId,
    network: 'MTN',
    recipient: e164,
    recipientGiven: national,
    amountKobo: 10_000n,
    balanceBeforeKobo: 20_000n,
    state: 'success',
    provider: 'simulator',
    submittedAt: new Date(),
    externalRef: national,
    requestId: 'r',
  });
  await insert('simulated_top_up', {
    id: newId(),
    reference: purchase,
    network: 'MTN',
    recipient: e164,
    amountKobo: 10_000n,
    outcome: 'success',
  });

  const callback = newId();
  const body = JSON.stringify({ type: 'message.delivered', data: { recipient: spaced, id: single } });
  await insert('callback', {
    id: callback,
    organisationId,
    type: 'message.delivered',
    resourceId: single,
    url: `https://a.example/?to=${national}`,
    host: 'a.example',
    body,
    sealedBody: sealer.seal(body, { column: 'callback.sealed_body', organisationId, id: callback }),
    requestId: 'r',
  });
  await insert('callback_attempt', { callbackId: callback, attempt: 1, answer: Buffer.from(body) });
  const key = `key-${newId()}`;
  await insert('idempotency_claim', {
    organisationId,
    key,
    method: 'POST',
    path: '/optouts',
    operationId: newId(),
    fingerprint: Buffer.alloc(32),
    leasedUntil: new Date(),
    answerStatus: 200,
    answerBody: Buffer.from(JSON.stringify({ phone: spaced })),
  });
  await insert('idempotency_claim', {
    organisationId,
    key,
    method: 'POST',
    path: '/sms/send',
    operationId: single,
    fingerprint: Buffer.alloc(32),
    leasedUntil: new Date(),
    answerStatus: 200,
    answerSealed: true,
    answerBody: Buffer.from('sealed'),
  });

  const incoming = newId();
  const place = { column: 'incoming_message.sealed_text', organisationId, id: incoming } as const;
  await insert('incoming_message', {
    id: incoming,
    organisationId,
    channel: 'sms',
    number: '32123',
    sender: e164,
    type: 'text',
    sealedText: sealer.seal(`I am ${national}`, place),
    provider: 'termii',
    providerReference: newId(),
  });
  const outbox = newId();
  await insert('outbox_message', {
    id: outbox,
    organisationId,
    deliveryId: delivery,
    channel: 'sms',
    sender: 'Acme',
    recipient: e164,
    outcome: 'accepted',
    sealedText: sealer.seal(word, { column: 'outbox_message.sealed_text', organisationId, id: outbox }),
    createdAt: new Date(),
  });
  await insert('help_answer', {
    id: newId(),
    organisationId,
    phone: e164,
    askedOn: '2026-11-17',
    channel: 'sms',
    incomingId: incoming,
  });
  await insert('whatsapp_window', { organisationId, provider: 'meta', phone: e164, receivedAt: new Date() });
  await insert('last_keyword', { organisationId, phone: e164, channel: 'sms', sentAt: new Date() });
  await insert('opt_out', { id: newId(), organisationId, channel: 'sms', phone: e164, source: 'api' });

  const [table] = await database.query<{ id: string }>(sql`
    INSERT INTO contact_table (id, organisation_id) VALUES (${newId()}::uuid, ${organisationId}::uuid)
    ON CONFLICT (organisation_id) DO UPDATE SET updated_at = now() RETURNING id`);
  const tableId = table?.id ?? '';
  const [phones, notes] = [newId(), newId()];
  for (const [column, type] of [
    [phones, 'PHONE NUMBER'],
    [notes, 'TEXT'],
  ] as const)
    await insert('contact_column', { id: column, tableId, name: `${type} ${column}`, type, position: 1 });
  const contact = (cells: object, matched: object) =>
    insert('contact_row', {
      id: newId(),
      tableId,
      cells: JSON.stringify(cells),
      matched: JSON.stringify(matched),
    });
  await contact({ [phones]: national, [notes]: 'Ada' }, { [phones]: e164 });
  await contact({ [phones]: e164 }, {});
  await contact({ [notes]: `Mother of ${spaced}` }, { [notes]: `mother of ${spaced}` });
  await insert('smartlist', {
    id: newId(),
    tableId,
    name: `List ${newId()}`,
    filters: JSON.stringify([{ name: phones, operator: 'is', value: national }]),
  });
  const ended = { state: 'done', endedAt: new Date() };
  const imported = newId();
  await insert('contact_import', {
    id: imported,
    tableId,
    delimiter: ',',
    columns: [],
    problems: JSON.stringify([{ line: 2, reason: `"${spaced}" is no date` }]),
    ...ended,
  });
  await insert('contact_rejected_part', {
    importId: imported,
    number: 1,
    data: Buffer.from(`${spaced}\r\n`),
  });
  const rejected = newId();
  await insert('contact_import', { id: rejected, tableId, delimiter: ',', columns: [], ...ended });
  await insert('contact_rejected_part', {
    importId: rejected,
    number: 1,
    data: Buffer.from(`tél :\u00a0${national}\r\n`),
  });
  const exported = newId();
  await insert('contact_export', { id: exported, tableId, columns: '[]', ...ended });
  await insert('contact_export_part', {
    exportId: exported,
    number: 1,
    data: Buffer.from(`Ada,0803\u00a0${national.slice(4)}\r\n`),
  });
  const scroll = newId();
  await insert('contact_scroll', {
    id: scroll,
    tableId,
    fingerprint: Buffer.alloc(32),
    perPage: 10,
    countTotal: 1,
    expiresAt: new Date(),
  });
  await insert('contact_scroll_page', { scrollId: scroll, page: 1, lastId: newId(), lastKey: e164 });
  const batch = newId();
  await insert('lookup_batch', { id: batch, organisationId, ...ended });
  await insert('lookup_batch_part', {
    batchId: batch,
    number: 1,
    data: Buffer.from(`${national},${e164.slice(1)},MTN\n`),
  });
  return { message: single, sealedMessage, campaign, otp, purchase };
}

/** Stores what belongs to no organisation. */
export async function plantShared(database: Database, { e164 }: Notations): Promise<void> {
  await insertRow(database, 'live_finding', {
    phone: e164,
    provider: 'hlr 1',
    operator: 'MTN',
    keptUntil: new Date(),
  });
  const importId = newId();
  await insertRow(database, 'registry_import', {
    id: importId,
    registry: 'dnd',
    mode: 'merge',
    state: 'active',
    source: 'dnd.csv',
  });
  await insertRow(database, 'dnd_number', { phone: e164, importId });
  await insertRow(database, 'ported_number', { phone: e164, importId, operator: 'Glo' });
  const id = newId();
  await insertRow(database, 'inbound_request', {
    id,
    provider: 'termii',
    digest: Buffer.from(id),
    method: 'POST',
    sealedContent: new InboundContents(sealer).seal(
      { query: '', body: `{"receiver":"${e164.slice(1)}"}` },
      id,
    ),
    state: 'handled',
  });
}

/** The tables that have no rows in a new database. */
export async function emptyTables(database: Database): Promise<string[]> {
  const tables = await database.query<{ name: string }>(sql`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'audit_log'`);
  const selects = tables.map(({ name }) => `SELECT '${name}' AS name WHERE NOT EXISTS (SELECT FROM ${name})`);
  const empty = await database.query<{ name: string }>(Prisma.raw(selects.join(' UNION ALL ')));
  return empty.map(({ name }) => name);
}

/** Deletes all rows of these tables, without the rules that protect them: commands take longer with every organisation. */
export async function clearTables(database: Database, tables: readonly string[]): Promise<void> {
  const deletes = tables.map((name) => `DELETE FROM ${name};`);
  await database.$executeRawUnsafe(`
    DO $$ BEGIN
      SET LOCAL session_replication_role = replica;
      ${deletes.join(' ')}
    END $$`);
}

export async function insertRow(
  database: Database,
  table: string,
  row: Readonly<Record<string, unknown>>,
): Promise<void> {
  const columns = Object.keys(row).map((name) =>
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  const names = Prisma.raw(`${table} (${columns.join(', ')})`);
  await database.execute(sql`INSERT INTO ${names} VALUES (${Prisma.join(Object.values(row))})`);
}

/** Every row of every table, with files and sealed texts in readable form. */
export async function readableRows(database: Database): Promise<string[]> {
  const tables = await database.query<{ name: string }>(sql`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'audit_log' ORDER BY 1`);
  const selects = tables.map(({ name }) => `SELECT '${name} ' || own::text AS row FROM ${name} AS own`);
  const found = await database.query<{ row: string }>(Prisma.raw(selects.join(' UNION ALL ')));
  const rows = found.map(({ row }) =>
    row
      .replaceAll(/\\x([0-9a-f]+)/g, (_, hex: string) => Buffer.from(hex, 'hex').toString())
      .replaceAll(/wamid\.([\w+/=]+)/g, (_, base64: string) =>
        Buffer.from(base64, 'base64').toString('latin1'),
      ),
  );
  for (const { column, start, read } of sealedTables) {
    // The keys that are sealed again are given; here all are.
    const slice = { after: start, limit: 10_000, earlierKeys: sealer.sealingIds };
    for (const { sealed, id, organisationId, domain } of await database.run(read, slice)) {
      const place = { column, organisationId, id, domain: domain ?? undefined };
      if (sealed) rows.push(`${column} ${id} ${sealer.open(sealed, place)}`);
    }
  }
  return rows;
}

export const mentions = ({ e164 }: Notations, row: string): boolean =>
  row.replaceAll(/(?<=\d)[ \u00a0](?=\d)/g, '').includes(e164.slice(4));

export const tablesOf = (rows: readonly string[]): string[] =>
  [...new Set(rows.map((row) => row.split(' ', 1)[0] ?? ''))].toSorted();
