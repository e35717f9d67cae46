import { erasedNumber, parsePhone } from '@gangan/contracts';
import { command, Prisma, type RowOf, sql, statement, t } from '@gangan/database';
import type { DataSealer } from '@gangan/sealing';
import { isNumber, sampleScopes, type Scope, scopeSamples } from '../search/scope.js';
import { redactAnswers } from './answers.js';
import { inOrganisation } from './deleted-rows.js';
import { type EraseTools, findIn, type Source } from './source.js';

/** The values of one recipient. */
interface Personalisation {
  readonly to: string;
  readonly substitutions: Readonly<Record<string, unknown>>;
}

const isFinal = sql`state NOT IN ('queued', 'submitting', 'sent')`;

/** The text of an error is the provider's, and may quote the number. */
export const withoutNumber = (column: string, { phone, patterns }: Scope) =>
  phone === null
    ? sql`NULL`
    : sql`CASE WHEN ${Prisma.raw(column)} !~ ${patterns.text} THEN ${Prisma.raw(column)} END`;

const readMessages = statement(
  {
    id: t.uuid,
    recipients: t.array(t.text),
    content: t.nullable(t.text),
    personalisation: t.nullable(t.json<readonly Personalisation[]>()),
    sealedText: t.nullable(t.bytes),
    given: t.array(t.text),
  },
  (deliveryIds: readonly string[]) => sql`
    SELECT message.id, recipients, content, personalisation, sealed_text AS "sealedText",
      ARRAY(SELECT recipient_given FROM delivery
        WHERE message_id = message.id AND id = ANY (${deliveryIds}::uuid[])) AS given
    FROM message WHERE id IN (SELECT message_id FROM delivery WHERE id = ANY (${deliveryIds}::uuid[]))
    ORDER BY id FOR UPDATE OF message`,
);

interface StoredMessage extends Pick<
  RowOf<typeof readMessages>,
  'id' | 'recipients' | 'content' | 'sealedText'
> {
  readonly personalisation: string | null;
}

const storeMessage = command(
  (scope: Scope, { id, recipients, content, personalisation, sealedText }: StoredMessage) => sql`
    UPDATE message SET recipients = ${recipients}::text[], content = ${content}, sealed_text = ${sealedText}::bytea,
      personalisation = ${personalisation}::jsonb, external_ref = ${withoutNumber('external_ref', scope)},
      callback_url = ${withoutNumber('callback_url', scope)}
    WHERE id = ${id}::uuid`,
  {
    samples: sampleScopes.map((scope) => [
      scope,
      { id: scope.organisationId, recipients: [], content: null, personalisation: null, sealedText: null },
    ]),
  },
);

/**
 * The ids of WhatsApp (`wamid.…`) contain the number in base64. A digest stays, so that a reference of a bill can still
 * be compared.
 */
const withoutReference = (column: string, { phone, patterns }: Scope) => {
  const reference = Prisma.raw(column);
  const mentions = phone === null ? sql`false` : sql`${reference} ~ ${patterns.text}`;
  return sql`CASE WHEN ${reference} LIKE 'wamid.%' OR ${mentions}
    THEN 'sha256:' || encode(sha256(convert_to(${reference}, 'UTF8')), 'hex') ELSE ${reference} END`;
};

/** What belongs to deliveries that have ended, of messages or of OTPs. The clicks of links are deleted with them. */
export const eraseDeliveries = command(
  (scope: Scope, ids: readonly string[]) => sql`
    WITH links AS (DELETE FROM tracked_link WHERE delivery_id = ANY (${ids}::uuid[])),
    attempts AS (
      UPDATE delivery_attempt SET error_message = ${withoutNumber('error_message', scope)}
      WHERE delivery_id = ANY (${ids}::uuid[]) AND error_message IS NOT NULL),
    provider_references AS (
      UPDATE provider_reference SET reference = ${withoutReference('reference', scope)}
      WHERE delivery_id = ANY (${ids}::uuid[]) AND reference NOT LIKE 'sha256:%'),
    simulated AS (DELETE FROM simulated_message WHERE reference = ANY (${ids}::uuid[]))
    UPDATE delivery SET recipient = ${erasedNumber}, recipient_given = ${erasedNumber}, substitutions = NULL,
      error_message = ${withoutNumber('error_message', scope)},
      provider_reference = ${withoutReference('provider_reference', scope)}
    WHERE id = ANY (${ids}::uuid[]) AND ${isFinal}`,
  scopeSamples,
);

const keepFinal = statement(
  { id: t.uuid, messageId: t.nullable(t.uuid) },
  (ids: readonly string[]) => sql`
    SELECT id, message_id AS "messageId" FROM delivery WHERE id = ANY (${ids}::uuid[]) AND ${isFinal} FOR UPDATE`,
);

/**
 * Messages stay, with what they cost. The content of a message to one number is deleted; one to many keeps its common
 * text and loses the values of the number. A text that cannot be opened is deleted: it may have values of the number.
 */
export const deliveries: Source = {
  table: 'delivery',
  limit: 200,
  // In the order of `delivery_recipient_idx`; deliveries of OTPs belong to the OTPs.
  find: findIn('delivery', {
    order: { recipient: 'text', message_id: 'uuid' },
    where: (scope) =>
      sql`${inOrganisation(scope)} AND message_id IS NOT NULL AND ${isNumber('recipient', scope)}`,
  }),
  erase: async (transaction, scope, found, tools) => {
    const final = await transaction.run(keepFinal, found);
    const ids = final.map(({ id }) => id);
    // Those of an organisation were cleared before.
    if (scope.phone !== null)
      for (const row of await transaction.run(readMessages, ids))
        await transaction.run(storeMessage, scope, redacted(row, scope, tools));
    const messageIds = final.flatMap(({ messageId }) => messageId ?? []);
    await redactAnswers(transaction, scope.organisationId, messageIds);
    return transaction.run(eraseDeliveries, scope, ids);
  },
};

function redacted(
  row: RowOf<typeof readMessages>,
  scope: Scope,
  { sealer, region, onUnreadable }: EraseTools,
): StoredMessage {
  const { id, given } = row;
  const erasedNumbers = new Set(given);
  const recipients = row.recipients.map((recipient) =>
    erasedNumbers.has(recipient) ? erasedNumber : recipient,
  );
  const nothing = { id, recipients, content: '', personalisation: null, sealedText: null };
  const isAboutOthers = recipients.length === 0 || recipients.some((recipient) => recipient !== erasedNumber);
  if (!isAboutOthers) return nothing;
  const keep = (values: readonly Personalisation[] | null) =>
    values?.filter(({ to }) => !erasedNumbers.has(to) && parsePhone(to, region)?.e164 !== scope.phone) ??
    null;
  if (row.sealedText === null)
    return {
      ...nothing,
      content: row.content,
      personalisation: row.personalisation && JSON.stringify(keep(row.personalisation)),
    };
  const opened = openMessage(sealer, scope, id, row.sealedText);
  if (!opened) {
    onUnreadable('texts of messages');
    return nothing;
  }
  const [content, values] = opened;
  const text = JSON.stringify([content, keep(values)]);
  return { ...nothing, content: null, sealedText: sealer.seal(text, placeOf(scope, id)) };
}

const placeOf = ({ organisationId }: Scope, id: string) =>
  ({ column: 'message.sealed_text', organisationId, id }) as const;

type OpenedMessage = [content: string, personalisation: readonly Personalisation[] | null];

/** @returns undefined if it cannot be opened */
export function openMessage(
  sealer: DataSealer,
  scope: Scope,
  id: string,
  sealed: Buffer,
): OpenedMessage | undefined {
  try {
    return JSON.parse(sealer.open(sealed, placeOf(scope, id))) as OpenedMessage;
  } catch {
    return undefined;
  }
}

const clearMessages = command(
  (ids: readonly string[]) => sql`
    UPDATE message SET content = '', sealed_text = NULL, personalisation = NULL, external_ref = NULL, callback_url = NULL,
      recipients = array_fill(${erasedNumber}::text, ARRAY[cardinality(recipients)])
    WHERE id = ANY (${ids}::uuid[]) AND NOT EXISTS (
        SELECT FROM delivery WHERE message_id = message.id AND message_id IS NOT NULL AND NOT (${isFinal}))
      AND NOT EXISTS (SELECT FROM message_expansion WHERE message_id = message.id AND state = 'expanding')`,
);

/** For an organisation: its messages, before their deliveries. Messages that are not final stay as they are. */
export const messages: Source = {
  table: 'message',
  limit: 200,
  find: findIn('message', {
    where: inOrganisation,
    hit: () =>
      sql`(content <> '' OR sealed_text IS NOT NULL OR external_ref IS NOT NULL OR callback_url IS NOT NULL
        OR NOT recipients <@ ${[erasedNumber]}::text[])`,
  }),
  erase: async (transaction, { organisationId }, ids) => {
    await redactAnswers(transaction, organisationId, ids);
    return transaction.run(clearMessages, ids);
  },
};
