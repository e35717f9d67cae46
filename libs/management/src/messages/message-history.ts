import { parsePhone } from '@gangan/contracts';
import type { Database } from '@gangan/database';
import { isId } from '@gangan/protocol';
import { change } from '../audit.js';
import { labelOf, withAccount } from '../organisations/find-organisation.js';
import type { SealedAccess, SealerReader } from '../providers/stored-provider.js';
import { Refusal } from '../refusal.js';
import { masked } from './masked.js';
import {
  countCallbacks,
  countStates,
  findAttempts,
  findClicks,
  findDeliveries,
  findReports,
  maxShown,
} from './message-statements.js';

export { maxShown as maxDeliveriesShown };

export interface MessageQuery {
  readonly id: string;
  /** Only the delivery to this number. */
  readonly recipient?: string | undefined;
  readonly defaultRegion?: string | undefined;
}

interface MessageContent {
  readonly content?: string | null;
  readonly personalisation?: unknown;
}

type MessageHistory = Awaited<ReturnType<typeof readHistory>> & MessageContent;

/** What is stored about a message, with masked numbers and without its content. */
export const messageHistory = (database: Database, query: MessageQuery): Promise<MessageHistory> =>
  readHistory(database, query, masked);

/** The same with its content or the full numbers, as the audit log then says. */
export async function revealMessage(
  access: SealedAccess,
  query: MessageQuery,
  shown: readonly ('content' | 'numbers')[],
): Promise<MessageHistory> {
  const { database, sealer } = access;
  const mask = shown.includes('numbers') ? (phone: string) => phone : masked;
  const history = await readHistory(database, query, mask);
  const { id, organisation_id: organisationId } = history;
  const content = shown.includes('content') ? await readContent(database, id, sealer) : {};
  await change(access, 'messages show', (_, log) => log({ organisationId, target: id, after: { shown } }));
  return { ...history, ...content };
}

async function readHistory(
  database: Database,
  { id, recipient, defaultRegion }: MessageQuery,
  mask: (phone: string) => string,
) {
  const include = { ...withAccount, expansion: true, change: true } as const;
  const message = isId(id) ? await database.message.findUnique({ where: { id }, include }) : null;
  if (!message)
    throw new Refusal(
      'not_found',
      `There is no message ${id}: use the id of the response of /sms/send. Messages are removed after MESSAGES_KEPT_DAYS.`,
    );
  const { organisationId, expansion } = message;
  const only =
    recipient === undefined ? undefined : { organisationId, phone: e164Of(recipient, defaultRegion) };
  const deliveries = shownOf(await database.run(findDeliveries, id, only));
  if (recipient !== undefined && deliveries.length === 0)
    throw new Refusal('not_found', `The message has no delivery to ${recipient}.`);
  const numbers = deliveries.map((row) => [row.id, mask(row.recipient)] as const);
  const names = new Map([[id, 'the message'], ...numbers]);
  const ids = [...names.keys()];
  const named = <Row extends { readonly recipient: string }>(rows: readonly Row[]) =>
    rows.map((row) => ({ ...row, recipient: names.get(row.recipient) }));
  const callbacks = await findCallbacks(
    database,
    { organisationId, resourceId: id },
    only && deliveries[0]?.id,
  );
  return {
    id,
    organisation: labelOf(message.organisation),
    organisation_id: organisationId,
    request_id: message.requestId,
    accepted: message.createdAt,
    channel: message.channel,
    category: message.category,
    sender: message.sender,
    recipients: message.smartlistId === null ? message.recipients.length : null,
    smartlist: message.smartlistId,
    smartlist_state: expansion?.state,
    smartlist_rows: expansion?.rows,
    smartlist_error: expansion?.errorMessage,
    template: message.templateId,
    reply_to: message.replyTo,
    external_ref: message.externalRef,
    // The rest of the URL may contain a secret.
    callback_host: /^[a-z]+:\/\/(?:[^/?#@]*@)?([^/?#]+)/.exec(message.callbackUrl ?? '')?.[1],
    encoding: message.encoding,
    length: message.length,
    pages: message.pages,
    charge: message.chargeKobo,
    send_at: message.sendAt,
    paused: message.pausedAt,
    canceled: message.canceledAt,
    change_in_progress: message.change?.action,
    ledger: await findLedger(database, names),
    states: await database.run(countStates, id),
    deliveries: deliveries.map((row) => ({ ...row, recipient: mask(row.recipient) })),
    attempts: named(await database.run(findAttempts, ids)),
    reports: named(await database.run(findReports, ids)),
    callback_states: await database.run(countCallbacks, id, organisationId),
    callbacks: callbacks.map((row) => ({
      id: row.id,
      type: row.type,
      host: row.host,
      endpoint: row.endpointId,
      state: row.state,
      attempts: row.attempt,
      created: row.createdAt,
      next_attempt: row.nextAttemptAt,
      ended: row.endedAt,
    })),
    callback_attempts: callbacks.flatMap(({ attempts }) =>
      attempts.map(
        ({ callbackId: callback, attempt, startedAt: started, endedAt: ended, status, error }) => ({
          ...{ callback, attempt, started, ended, status, error },
        }),
      ),
    ),
    clicks: named(await database.run(findClicks, ids)),
  };
}

/** @param deliveryId only those whose body has the recipient of this one, as the caller wrote it */
async function findCallbacks(
  database: Database,
  of: { readonly organisationId: string; readonly resourceId: string },
  deliveryId: string | undefined,
) {
  const delivery =
    deliveryId === undefined ? undefined : await database.delivery.findUnique({ where: { id: deliveryId } });
  const where = { ...of, ...(delivery && { body: { contains: JSON.stringify(delivery.recipientGiven) } }) };
  const include = { attempts: { orderBy: { attempt: 'asc' as const } } };
  return shownOf(await database.callback.findMany({ where, include, take: maxShown + 1 }));
}

async function findLedger(database: Database, subjects: ReadonlyMap<string, string>) {
  const movements = await database.ledgerMovement.findMany({
    where: { subjectId: { in: [...subjects.keys()] }, OR: [{ from: 'wallet' }, { to: 'wallet' }] },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return movements.map(({ createdAt: time, kind, to, kobo, subjectId, note }) => ({
    ...{ time, kind, amount: to === 'wallet' ? kobo : -kobo },
    ...{ for: subjects.get(subjectId), note },
  }));
}

function e164Of(given: string, defaultRegion = 'NG'): string {
  const phone = parsePhone(given, defaultRegion);
  if (phone) return phone.e164;
  throw new Refusal('invalid', `${given} is not a phone number.`);
}

async function readContent(database: Database, id: string, sealer: SealerReader): Promise<MessageContent> {
  const { organisationId, sealedText, content, personalisation } = await database.message.findUniqueOrThrow({
    where: { id },
  });
  if (sealedText === null) return { content, personalisation };
  const opened = (await sealer()).open(sealedText, { column: 'message.sealed_text', organisationId, id });
  const [text, values] = JSON.parse(opened) as [string, unknown];
  return { content: text, personalisation: values };
}

/** By id, which is the order of creation; none if there are too many. */
const shownOf = <T extends { readonly id: string }>(rows: readonly T[]): readonly T[] =>
  rows.length > maxShown ? [] : rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));
