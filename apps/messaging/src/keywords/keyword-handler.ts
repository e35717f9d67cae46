import { CallbackAnnouncer } from '@gangan/callbacks';
import { type Keyword, matchKeyword, mayBeKeyword, parseOptOutSettings } from '@gangan/contracts';
import { isSuspended, type RowOf, sql, statement, type Statements, t } from '@gangan/database';
import { isId, newId, timeOfId } from '@gangan/protocol';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type IncomingHandler, IncomingHandlers } from '../inbox/incoming-handler.js';
import type { IncomingMessage } from '../inbox/incoming-message.js';
import { removeOptOuts, storeOptOuts } from '../opt-outs/store-opt-outs.js';
import { HelpAnswersRepository } from './help-answers.repository.js';
import { HelpAnswersRunner } from './help-answers.service.js';

const findSettings = statement(
  { id: t.uuid, optOut: t.nullable(t.json<object>()), isSuspended: t.bool },
  (organisationIds: readonly string[]) => sql`
    SELECT id, settings -> 'opt_out' AS "optOut", ${isSuspended(sql`organisation.id`)} AS "isSuspended"
    FROM organisation WHERE id = ANY (${organisationIds}::uuid[])`,
);

/** A message that is a keyword. */
interface Request {
  readonly keyword: Keyword;
  readonly message: IncomingMessage;
  /** When the request arrived that brought it: the worker may read it later. */
  readonly at: Date;
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
    const short = messages.filter(({ sender, text }) => e164.test(sender) && mayBeKeyword(text ?? ''));
    if (short.length === 0) return undefined;
    const ids = [...new Set(short.map(({ organisationId }) => organisationId))];
    const settings = new Map((await transaction.run(findSettings, ids)).map((row) => [row.id, readRow(row)]));
    const requests = short
      .flatMap((message): Request[] => {
        const { stopWords } = settings.get(message.organisationId) ?? noSettings;
        const keyword = matchKeyword(message.text ?? '', stopWords);
        return keyword ? [{ keyword, message, at: arrivalOf(message) }] : [];
      })
      .toSorted((one, other) => one.at.getTime() - other.at.getTime());
    const callbackIds = await changeOptOuts(transaction, requests);
    const help = requests.filter(
      ({ keyword, message }) => keyword === 'help' && settings.get(message.organisationId)?.answersHelp,
    );
    const hasAnswers = await this.answers.add(
      transaction,
      help.map(({ message: { id, organisationId, channel, sender }, at }) => ({
        id: newId(),
        organisationId,
        channel,
        phone: sender,
        askedOn: at.toISOString().slice(0, 10),
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

/** The words that are valid for everyone count even if the settings are invalid. */
function readRow({ optOut, isSuspended: suspended }: RowOf<typeof findSettings>): Settings {
  const result = parseOptOutSettings(optOut ?? undefined);
  if (!result.ok) return noSettings;
  const { stop_words: stopWords = [], help_text: text } = result.value;
  return { stopWords, answersHelp: text !== undefined && !suspended };
}

const arrivalOf = ({ requestId, receivedAt }: IncomingMessage): Date =>
  isId(requestId) ? timeOfId(requestId) : receivedAt;

/** The last word of a number counts. @returns the ids of callbacks */
async function changeOptOuts(transaction: Statements, requests: readonly Request[]): Promise<string[]> {
  const last = new Map<string, Request>();
  for (const request of requests) {
    const { organisationId, channel, sender } = request.message;
    if (request.keyword !== 'help') last.set(`${organisationId} ${channel} ${sender}`, request);
  }
  const changes = [...last.values()].map(({ keyword, message, at }) => {
    const { organisationId, channel, sender: phone, requestId } = message;
    return { keyword, key: { organisationId, channel, phone }, requestId, at };
  });
  await removeOptOuts(
    transaction,
    changes.flatMap(({ keyword, key, at: until }) => (keyword === 'start' ? [{ ...key, until }] : [])),
  );
  return storeOptOuts(
    transaction,
    changes.flatMap(({ keyword, key, requestId, at: createdAt }) =>
      keyword === 'stop' ? [{ id: newId(), ...key, source: 'message', createdAt, requestId }] : [],
    ),
  );
}
