import { parsePhone } from '@gangan/contracts';
import type { Database, RowOf } from '@gangan/database';
import { isId } from '@gangan/protocol';
import type { Command } from 'commander';
import { masked } from '@gangan/management';
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
      const total = history.states.reduce((sum, { deliveries }) => sum + deliveries, 0);
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
  const { id, organisation_id: organisationId, sealedText, content, personalisation } = message;
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
  { id, organisation_id: organisationId }: StoredMessage,
  { content, numbers }: ShowOptions,
): Promise<void> {
  const shown = [...(content ? ['content'] : []), ...(numbers ? ['numbers'] : [])];
  if (shown.length === 0) return;
  await database.$transaction((models) =>
    session.audit(models, { organisationId, target: id, after: { shown } }),
  );
}

/** Omits the content. */
const describe = (message: StoredMessage): Row => ({
  ...message,
  callback_host: message.callback_host ?? undefined,
  charge: new Money(message.charge),
  content: undefined,
  personalisation: undefined,
  sealedText: undefined,
});

function tablesOf(message: StoredMessage, history: MessageHistory, mask: Mask): Row {
  const recipients = new Map(history.deliveries.map(({ id, recipient }) => [id, mask(recipient)]));
  const named = <T extends { readonly recipient: string }>(rows: readonly T[]) =>
    rows.map((row) => ({ ...row, recipient: recipients.get(row.recipient) }));
  return {
    ...history,
    ledger: history.ledger.map((row) => ({
      ...row,
      amount: new Money(row.amount),
      for: row.for === message.id ? 'the message' : recipients.get(row.for),
    })),
    states: history.states.map((row) => ({
      ...row,
      charge: new Money(row.charge),
      refunded: new Money(row.refunded),
    })),
    deliveries: history.deliveries.map((row) => ({ ...row, recipient: mask(row.recipient) })),
    attempts: named(history.attempts),
    reports: named(history.reports),
    clicks: named(history.clicks),
  };
}
