import { parsePhone } from '@gangan/contracts';
import { type Database, type RowOf } from '@gangan/database';
import { isId } from '@gangan/protocol';
import type { Command } from 'commander';
import { masked } from '../data/search/scope.js';
import { CommandError } from '../session/errors.js';
import { Money, type Row } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { addSetCommand } from './set-command.js';
import { addUnansweredCommand } from './unanswered-command.js';
import { findMessage, maxShown, type MessageHistory, readHistory } from './message-history.js';

interface ShowOptions {
  readonly recipient?: string;
  readonly content?: true;
  readonly numbers?: true;
}

type StoredMessage = RowOf<typeof findMessage>;
type Mask = (phone: string) => string;

export function addCommands(group: Command, session: AdminSession): void {
  addUnansweredCommand(group, session);
  addSetCommand(group, session);
  addCommand(
    group,
    'show <id>',
    'show the history of a message: charge, deliveries, attempts, reports, callbacks and clicks',
    [
      '01a1dd98-ffc6-7f4b-beeb-767704693149',
      '01a1dd98-ffc6-7f4b-beeb-767704693149 --recipient 08031234567',
      '01a1dd98-ffc6-7f4b-beeb-767704693149 --content --numbers',
    ],
    `Above ${maxShown} recipients, deliveries are only counted; --recipient shows one in full. The content is not shown and phone numbers are masked; --content and --numbers show them, and are stored in the audit log.`,
  )
    .option('--recipient <number>', 'the delivery to one number')
    .option('--content', 'show the text and the personalisation')
    .option('--numbers', 'show phone numbers in full')
    .action(async (id: string, options: ShowOptions) => {
      const database = await session.database();
      const message = await findOne(database, id);
      const recipient = options.recipient === undefined ? undefined : numberOf(session, options.recipient);
      const history = await readHistory(database, message, recipient);
      if (recipient !== undefined && history.deliveries.length === 0)
        throw new CommandError(`The message has no delivery to ${options.recipient ?? ''}.`);
      const content = options.content ? await contentOf(session, message) : {};
      await auditIfShown(session, database, message, options);
      const mask: Mask = options.numbers ? (phone) => phone : masked;
      session.show({ ...describe(message), ...content, ...tablesOf(message, history, mask) });
      const total = history.states.reduce((sum, { deliveries }) => sum + Number(deliveries), 0);
      if (total > maxShown && recipient === undefined)
        session.remark(`The message has ${total} deliveries: add --recipient <number> to see one in full.`);
    });
}

async function findOne(database: Database, id: string): Promise<StoredMessage> {
  const [message] = isId(id) ? await database.run(findMessage, id) : [];
  if (message) return message;
  throw new CommandError(
    `There is no message ${id}: use the id of the response of /sms/send. Messages are removed after MESSAGES_KEPT_DAYS.`,
  );
}

function numberOf({ settings }: AdminSession, given: string): string {
  const phone = parsePhone(given, settings.defaultRegion ?? 'NG');
  if (phone) return phone.e164;
  throw new CommandError(`${given} is not a phone number.`);
}

async function contentOf(session: AdminSession, message: StoredMessage): Promise<Row> {
  const { id, organisationId, sealedText, content, personalisation } = message;
  if (sealedText === null) return { content, personalisation: toText(personalisation) };
  const sealer = await session.sealer();
  const text = sealer.open(sealedText, { column: 'message.sealed_text', organisationId, id });
  const [opened, values] = JSON.parse(text) as [string, unknown];
  return { content: opened, personalisation: toText(values) };
}

const toText = (value: unknown): string | undefined =>
  value === null || value === undefined ? undefined : JSON.stringify(value);

async function auditIfShown(
  session: AdminSession,
  database: Database,
  { id, organisationId }: StoredMessage,
  { content, numbers }: ShowOptions,
): Promise<void> {
  const shown = [...(content ? ['content'] : []), ...(numbers ? ['numbers'] : [])];
  if (shown.length === 0) return;
  await database.$transaction((models) =>
    session.audit(models, { organisationId, target: id, after: { shown } }),
  );
}

const describe = (message: StoredMessage): Row => ({
  id: message.id,
  organisation: message.organisation,
  organisation_id: message.organisationId,
  request_id: message.requestId,
  accepted: message.createdAt,
  channel: message.channel,
  category: message.category,
  sender: message.sender,
  recipients: message.smartlistId === null ? message.recipients : undefined,
  smartlist: message.smartlistId,
  smartlist_state: message.listState,
  smartlist_rows: message.listRows,
  smartlist_error: message.listError,
  template: message.templateId,
  reply_to: message.replyTo,
  external_ref: message.externalRef,
  callback_host: message.callbackUrl === null ? undefined : hostOf(message.callbackUrl),
  encoding: message.encoding,
  length: message.length,
  pages: message.pages,
  charge: new Money(message.chargeKobo),
  send_at: message.sendAt,
  paused: message.pausedAt,
  canceled: message.canceledAt,
  change_in_progress: message.pendingChange,
});

/** The rest of a URL may contain a secret. */
const hostOf = (url: string): string => URL.parse(url)?.host ?? '';

function tablesOf(message: StoredMessage, history: MessageHistory, mask: Mask): Row {
  const recipients = new Map(history.deliveries.map(({ id, recipient }) => [id, mask(recipient)]));
  const nameOf = (deliveryId: string): string | undefined => recipients.get(deliveryId);
  return {
    ledger: history.ledger.map(({ subjectId, kind, kobo, note, createdAt }) => ({
      time: createdAt,
      kind,
      amount: new Money(kobo),
      for: subjectId === message.id ? 'the message' : nameOf(subjectId),
      note,
    })),
    states: history.states.map(({ state, deliveries, chargeKobo, refundedKobo }) => ({
      state,
      deliveries: Number(deliveries),
      charge: new Money(chargeKobo),
      refunded: new Money(refundedKobo),
    })),
    deliveries: history.deliveries.map((delivery) => ({
      recipient: mask(delivery.recipient),
      id: delivery.id,
      state: delivery.state,
      reason: delivery.errorCode,
      provider: delivery.provider,
      attempts: delivery.attempt,
      refunded: delivery.refunded,
      resolution: delivery.resolution,
      created: delivery.createdAt,
      send_at: delivery.sendAt,
      next_attempt: delivery.state === 'sent' ? undefined : delivery.nextAttemptAt,
      last_change: delivery.updatedAt,
    })),
    attempts: history.attempts.map((attempt) => ({
      recipient: nameOf(attempt.deliveryId),
      attempt: attempt.attempt,
      provider: attempt.provider,
      started: attempt.startedAt,
      ended: attempt.endedAt,
      outcome: attempt.outcome ?? 'unknown',
      code: attempt.errorCode,
      message: attempt.errorMessage,
    })),
    reports: history.references.map((reference) => ({
      recipient: nameOf(reference.deliveryId),
      attempt: reference.attempt,
      provider: reference.provider,
      reference: reference.reference,
      part: reference.part,
      state: reference.state,
      code: reference.errorCode,
    })),
    callback_states: history.callbackCounts.map(({ type, state, callbacks }) => ({
      type,
      state,
      callbacks: Number(callbacks),
    })),
    callbacks: history.callbacks.map((callback) => ({
      id: callback.id,
      type: callback.type,
      host: callback.host,
      endpoint: callback.endpointId,
      state: callback.state,
      attempts: callback.attempt,
      created: callback.createdAt,
      next_attempt: callback.nextAttemptAt,
      ended: callback.endedAt,
    })),
    callback_attempts: history.callbackAttempts.map((attempt) => ({
      callback: attempt.callbackId,
      attempt: attempt.attempt,
      started: attempt.startedAt,
      ended: attempt.endedAt,
      status: attempt.status,
      error: attempt.error,
    })),
    clicks: history.clicks.map(({ deliveryId, position, clickedAt }) => ({
      recipient: nameOf(deliveryId),
      link: position,
      time: clickedAt,
    })),
  };
}
