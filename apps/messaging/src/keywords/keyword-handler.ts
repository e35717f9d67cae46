import { CallbackAnnouncer } from '@gangan/callbacks';
import { type Keyword, matchKeyword, mayBeKeyword, parseOptOutSettings } from '@gangan/contracts';
import { isSuspended, type RowOf, sql, statement, type Statements, t } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type IncomingHandler, IncomingHandlers } from '../inbox/incoming-handler.js';
import type { IncomingMessage } from '../inbox/incoming-message.js';
import { removeOptOuts, storeOptOuts } from '../opt-outs/store-opt-outs.js';
import { HelpAnswersRepository } from './help-answers.repository.js';
import { HelpAnswersRunner, maxHelpAgeMs } from './help-answers.service.js';
import { keyOf, takeLatest } from './last-keywords.js';

const findSettings = statement(
  { id: t.uuid, optOut: t.nullable(t.json<object>()), isSuspended: t.bool },
  (organisationIds: readonly string[]) => sql`
    SELECT id, settings -> 'opt_out' AS "optOut", ${isSuspended(sql`organisation.id`)} AS "isSuspended"
    FROM organisation WHERE id = ANY (${organisationIds}::uuid[])`,
);

interface KeywordMessage {
  readonly keyword: Keyword;
  readonly message: IncomingMessage;
  readonly sentAt: Date;
}

const e164 = /^\+[1-9]\d{1,14}$/;

/** Opts out and in, and answers HELP, when recipients ask for it. */
@Injectable()
export class KeywordHandler implements IncomingHandler, OnModuleInit {
  constructor(
    private readonly handlers: IncomingHandlers,
    private readonly answers: HelpAnswersRepository,
    private readonly answering: HelpAnswersRunner,
    private readonly callbacks: CallbackAnnouncer,
  ) {}

  onModuleInit(): void {
    this.handlers.add(this);
  }

  async handle(
    transaction: Statements,
    messages: readonly IncomingMessage[],
  ): Promise<(() => void) | undefined> {
    const short = messages.filter(
      // The title of a button, such as "Cancel" of an order, is not a keyword.
      ({ sender, type, text }) => type === 'text' && e164.test(sender) && mayBeKeyword(text ?? ''),
    );
    if (short.length === 0) return undefined;
    const ids = [...new Set(short.map(({ organisationId }) => organisationId))];
    const settings = new Map((await transaction.run(findSettings, ids)).map((row) => [row.id, readRow(row)]));
    const keywords = short
      .flatMap((message): KeywordMessage[] => {
        const { stopWords } = settings.get(message.organisationId) ?? noSettings;
        const keyword = matchKeyword(message.text ?? '', stopWords);
        return keyword ? [{ keyword, message, sentAt: sendingTimeOf(message) }] : [];
      })
      .toSorted((one, other) => one.sentAt.getTime() - other.sentAt.getTime());
    const callbackIds = await changeOptOuts(transaction, keywords);
    const help = keywords.filter(
      ({ keyword, message, sentAt }) =>
        keyword === 'help' &&
        settings.get(message.organisationId)?.answersHelp &&
        Date.now() - sentAt.getTime() <= maxHelpAgeMs,
    );
    const hasAnswers = await this.answers.add(
      transaction,
      help.map(({ message: { id, organisationId, channel, sender }, sentAt }) => ({
        id: newId(),
        organisationId,
        channel,
        phone: sender,
        askedOn: sentAt.toISOString().slice(0, 10),
        incomingId: id,
      })),
    );
    return () => {
      void this.callbacks.announce(callbackIds);
      if (hasAnswers) void this.answering.look();
    };
  }
}

interface Settings {
  readonly stopWords: readonly string[];
  readonly answersHelp: boolean;
}

const noSettings: Settings = { stopWords: [], answersHelp: false };

/** The words that are valid for everyone apply even if the settings are invalid. */
function readRow({ optOut, isSuspended: suspended }: RowOf<typeof findSettings>): Settings {
  const result = parseOptOutSettings(optOut ?? undefined);
  if (!result.ok) return noSettings;
  const { stop_words: stopWords = [], help_text: text } = result.value;
  return { stopWords, answersHelp: text !== undefined && !suspended };
}

/** WhatsApp may bring messages late and in any order, and says when they were sent. The times of SMS are not as reliable. */
const sendingTimeOf = ({ channel, sentAt, arrivedAt }: IncomingMessage): Date =>
  channel === 'whatsapp' && sentAt && sentAt < arrivedAt ? sentAt : arrivedAt;

/** Only the last keyword of a number counts. @returns the ids of the callbacks */
async function changeOptOuts(
  transaction: Statements,
  keywords: readonly KeywordMessage[],
): Promise<string[]> {
  const changes = new Map(
    keywords
      .filter(({ keyword }) => keyword !== 'help')
      .map(({ keyword, message, sentAt }) => {
        const { organisationId, channel, sender: phone, requestId } = message;
        const change = { keyword, organisationId, channel, phone, requestId, sentAt };
        return [keyOf(change), change] as const;
      }),
  );
  const latest = await takeLatest(transaction, [...changes.values()]);
  await removeOptOuts(
    transaction,
    latest
      .filter(({ keyword }) => keyword === 'start')
      .map(({ sentAt, ...change }) => ({ ...change, until: sentAt })),
  );
  return storeOptOuts(
    transaction,
    latest
      .filter(({ keyword }) => keyword === 'stop')
      .map(({ sentAt, ...change }) => ({ id: newId(), ...change, source: 'message', createdAt: sentAt })),
  );
}
