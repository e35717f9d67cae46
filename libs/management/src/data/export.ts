import { parsePhone } from '@gangan/contracts';
import {
  type Database,
  deliveryAttempts,
  Prisma,
  sql,
  type SqlRunner,
  type Statement,
  statement,
  t,
} from '@gangan/database';
import type { DataSealer, SealedColumn } from '@gangan/sealing';
import { sealedTables } from '@gangan/storage';
import type { Access } from '../access.js';
import { audit } from '../audit.js';
import type { DataTarget } from './data-target.js';
import { type Scope, scopeSamples } from './search/scope.js';
import { otps, purchases } from './tables/books.js';
import { columnsWith, contactRows, isPerson } from './tables/contacts.js';
import { callbacks, type PlainTable, plainTables } from './tables/deleted-rows.js';
import { deliveries, openMessage } from './tables/messages.js';
import type { Json } from './tables/shared.js';
import { type EraseTools, slicesOf, type Source } from './tables/source.js';

const rowShape = { row: t.json<Json>() };

type ReadRows = Statement<[ids: readonly string[]], typeof rowShape>;

/** Rows of a source as the export prints them. */
interface Section {
  readonly name: string;
  readonly source: Source;
  readonly read: (
    runner: SqlRunner,
    scope: Scope,
    ids: readonly string[],
    tools: EraseTools,
  ) => Promise<Json[]>;
}

/** Columns that say nothing about the person. */
const internal = ['organisation_id', 'table_id', 'lease_holder', 'next_attempt_at', 'created_xid', 'hmac'];

const rowsIn = (table: string, key = 'id', type = 'uuid'): ReadRows =>
  statement(
    rowShape,
    (ids: readonly string[]) => sql`
      SELECT to_jsonb(own) - ${internal}::text[] AS row FROM ${Prisma.raw(table)} AS own
      WHERE ${Prisma.raw(key)} = ANY (${ids}::${Prisma.raw(type)}[])`,
  );

/** Prints the columns of a table. `sealed_text` is opened and printed as `text`. */
function table(name: string, source: Source, read: ReadRows): Section {
  const sealed = sealedTables.find(({ column }) => column.startsWith(`${source.table}.`))?.column;
  return {
    name,
    source,
    read: async (runner, scope, ids, { sealer }) => {
      const found = await runner.run(read, ids);
      return found.map(({ row }) => (sealed === undefined ? row : opened(row, sealed, scope, sealer)));
    },
  };
}

function opened(row: Json, column: SealedColumn, { organisationId }: Scope, sealer: DataSealer): Json {
  const stored = column.split('.')[1] ?? '';
  const { [stored]: bytes, ...rest } = row;
  if (typeof bytes !== 'string') return rest;
  const text = openText(bytes, sealer, { column, organisationId, id: String(row['id']) });
  return { ...rest, [stored.replace('sealed_', '')]: text };
}

const unreadable = '(sealed with a key of another DATA_MASTER_KEY)';

/** `to_jsonb` writes bytes as `\x…`. */
const bytesOf = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex');

function openText(hex: string, sealer: DataSealer, place: Parameters<DataSealer['open']>[1]): string {
  try {
    return sealer.open(bytesOf(hex), place);
  } catch {
    return unreadable;
  }
}

interface MessageJson extends Json {
  readonly id: string;
  readonly content: string | null;
  readonly sealed_text: string | null;
  readonly personalisation: readonly { readonly to: string; readonly substitutions: unknown }[] | null;
  readonly links: readonly {
    readonly code: string;
    readonly url: string | null;
    readonly sealed_url?: string | null;
  }[];
}

/** Without the other recipients. */
const readMessages = statement(
  { row: t.json<MessageJson>() },
  (deliveryIds: readonly string[]) => sql`
    SELECT jsonb_build_object('id', message.id, 'channel', message.channel, 'sender', message.sender,
      'category', message.category, 'external_ref', message.external_ref, 'callback_url', message.callback_url,
      'content', message.content, 'sealed_text', message.sealed_text, 'personalisation', message.personalisation,
      'created_at', message.created_at, 'delivery_id', delivery.id, 'recipient', delivery.recipient,
      'recipient_given', delivery.recipient_given, 'substitutions', delivery.substitutions, 'state', delivery.state,
      'charge_kobo', delivery.charge_kobo, 'refunded', delivery.refunded, 'provider', delivery.provider,
      'provider_reference', delivery.provider_reference, 'error_code', delivery.error_code,
      'error_message', delivery.error_message, 'send_at', delivery.send_at, 'updated_at', delivery.updated_at,
      'attempts', (SELECT coalesce(jsonb_agg(to_jsonb(call) - 'delivery_id' ORDER BY call.attempt), '[]')
        FROM ${deliveryAttempts} AS call WHERE call.delivery_id = delivery.id),
      'links', (SELECT coalesce(jsonb_agg(to_jsonb(link) - 'delivery_id' || jsonb_build_object('click_times',
          ARRAY(SELECT clicked_at FROM link_click WHERE link_click.code = link.code ORDER BY id)) ORDER BY position), '[]')
        FROM tracked_link AS link WHERE link.delivery_id = delivery.id)) AS row
    FROM delivery JOIN message ON message.id = delivery.message_id WHERE delivery.id = ANY (${deliveryIds}::uuid[])`,
);

const messages: Section = {
  name: 'messages',
  source: deliveries,
  read: async (runner, scope, ids, { sealer, region }) => {
    const { organisationId, phone } = scope;
    const found = await runner.run(readMessages, ids);
    return found.map(({ row: { sealed_text: sealed, personalisation, content, links, ...row } }) => {
      const [text, values] =
        sealed === null
          ? [content, personalisation]
          : (openMessage(sealer, scope, row.id, bytesOf(sealed)) ?? [unreadable, null]);
      const own = values?.find(
        ({ to }) => to === row['recipient_given'] || parsePhone(to, region)?.e164 === phone,
      );
      return {
        ...row,
        content: text,
        ...(own && { substitutions: own.substitutions }),
        links: links.map(({ sealed_url: url, ...link }) => ({
          ...link,
          ...(url != null && {
            url: openText(url, sealer, { column: 'tracked_link.sealed_url', organisationId, id: link.code }),
          }),
        })),
      };
    });
  },
};

/** Of a contact who is somebody else, only the cells that contain the number. */
const readContacts = statement(
  rowShape,
  (scope: Scope, ids: readonly string[]) => sql`
    SELECT jsonb_build_object('id', own.id, 'cells',
        (SELECT coalesce(jsonb_object_agg(named.name, own.cells -> named.id::text), '{}') FROM contact_column AS named
          WHERE named.table_id = own.table_id AND own.cells ? named.id::text
            AND (shown.whole OR named.id::text = ANY (shown.columns))))
      || CASE WHEN shown.whole
        THEN jsonb_build_object('created_at', own.created_at, 'updated_at', own.updated_at) ELSE '{}' END AS row
    FROM contact_row AS own CROSS JOIN LATERAL (
      SELECT ${isPerson(scope)} AS whole, ${columnsWith(scope)} AS columns) AS shown
    WHERE own.id = ANY (${ids}::uuid[])`,
  scopeSamples,
);

const contacts: Section = {
  name: 'contacts',
  source: contactRows,
  read: async (runner, scope, ids) => (await runner.run(readContacts, scope, ids)).map(({ row }) => row),
};

/** The files are named, not printed: they contain other people's data. */
const readFiles = (name: string): ReadRows =>
  statement(
    rowShape,
    (ids: readonly string[]) => sql`
      SELECT jsonb_build_object('id', id, 'state', state, 'created_at', created_at, 'ended_at', ended_at) AS row
      FROM ${Prisma.raw(name)} WHERE id = ANY (${ids}::uuid[])`,
  );

const readOtps = statement(
  rowShape,
  (ids: readonly string[]) => sql`
    SELECT to_jsonb(own) - ${[...internal, 'sealed_token']}::text[] || jsonb_build_object(
      'deliveries', (SELECT coalesce(jsonb_agg(to_jsonb(send) - ${[...internal, 'sealed_body']}::text[]), '[]')
        FROM delivery AS send WHERE send.otp_id = own.id AND send.otp_id IS NOT NULL),
      'verifications', (SELECT coalesce(jsonb_agg(to_jsonb(tried) - ${internal}::text[]), '[]')
        FROM otp_verification AS tried WHERE tried.otp_id = own.id)) AS row
    FROM otp AS own WHERE own.id = ANY (${ids}::uuid[])`,
);

/** What an export contains of each organisation. */
const sections: readonly Section[] = [
  messages,
  table('otps', otps, readOtps),
  table('airtime_purchases', purchases, rowsIn('airtime_purchase')),
  contacts,
  table('callbacks', callbacks, rowsIn('callback')),
  ...plainTables.map(plainSection),
];

function plainSection({ table: name, source, rows: { section, key, parts } }: PlainTable): Section {
  const read = parts ? readFiles(name) : rowsIn(name, key, key === undefined ? 'uuid' : 'text');
  return table(section, source, read);
}

/** Rows of an organisation about the number, slice by slice, the sections one after the other. */
export async function* personalData(
  database: Database,
  scope: Scope,
  tools: EraseTools,
  onRead: (table: string, rows: number) => void,
): AsyncGenerator<{ readonly section: string; readonly rows: readonly Json[] }> {
  for (const { name: section, source, read } of sections)
    for await (const ids of slicesOf(database, source, scope, onRead)) {
      const rows = await read(database, scope, ids, tools);
      if (rows.length > 0) yield { section, rows };
    }
}

/** Adds an export to the audit log, before anything is read. */
export const logExport = (
  { database, principal }: Access,
  { name: target, organisation }: DataTarget,
): Promise<void> => audit(database, principal, 'data export', { organisationId: organisation?.id, target });
