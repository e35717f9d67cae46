import { CallbackAnnouncer, recordContentCallbacks } from '@gangan/callbacks';
import { Database, retryTransient, type Statements } from '@gangan/database';
import { mapInSlices } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import { StoredTexts } from '../text/stored-texts.js';
import { receivedCallback } from './incoming-callback.js';
import { IncomingHandlers } from './incoming-handler.js';
import {
  incomingMessage,
  type IncomingMessage,
  type ReceivedMessage,
  receivingNumber,
  senderOf,
} from './incoming-message.js';
import { IncomingRepository, keyOf } from './incoming.repository.js';

export interface Received {
  /** The messages that are new. */
  readonly stored: readonly IncomingMessage[];
  /** Messages whose number belongs to no organisation that may receive from the provider. Not stored. */
  readonly unassigned: readonly ReceivedMessage[];
}

/** A message with the numbers that were read from it. */
interface NumberedMessage {
  readonly message: ReceivedMessage;
  readonly number: string | undefined;
  readonly sender: string;
}

@Injectable()
export class IncomingService {
  constructor(
    private readonly database: Database,
    private readonly repository: IncomingRepository,
    private readonly texts: StoredTexts,
    private readonly handlers: IncomingHandlers,
    private readonly callbacks: CallbackAnnouncer,
    private readonly config: MessagingConfig,
  ) {}

  /**
   * Stores messages with their callbacks and what the handlers do, in one transaction. A duplicate changes nothing.
   * @throws if they could not be stored: the caller must receive all of them again
   */
  async receive(provider: string, messages: readonly ReceivedMessage[]): Promise<Received> {
    if (messages.length === 0) return { stored: [], unassigned: [] };
    const { DEFAULT_REGION: region } = this.config;
    // Numbers are read before the transaction, which must not wait for other slices.
    const numbered = await mapInSlices(messages, (message): NumberedMessage => ({
      message,
      number: receivingNumber(message, region),
      sender: senderOf(message.from, region),
    }));
    const { stored, unassigned, callbackIds, afterwards } = await retryTransient(() =>
      this.database.transaction((transaction) => this.store(transaction, provider, numbered)),
    );
    void this.callbacks.announce(callbackIds);
    for (const run of afterwards) run();
    return { stored, unassigned };
  }

  private async store(transaction: Statements, provider: string, received: readonly NumberedMessage[]) {
    const { messages, unassigned } = await this.assign(transaction, provider, received);
    const stored = await this.repository.insert(transaction, messages);
    const afterwards: (() => void)[] = [];
    for (const handler of stored.length > 0 ? this.handlers.all : []) {
      const run = await handler.handle(transaction, stored);
      if (run) afterwards.push(run);
    }
    const callbacks = stored.map(receivedCallback);
    const callbackIds = await recordContentCallbacks(transaction, callbacks, this.texts.sealCallback);
    return { stored, unassigned, callbackIds, afterwards };
  }

  /** Finds the organisations that have the numbers. */
  private async assign(transaction: Statements, provider: string, numbered: readonly NumberedMessage[]) {
    const asked = numbered.flatMap(({ message: { channel, organisationId }, number }) =>
      number === undefined || organisationId !== undefined ? [] : [{ channel, number }],
    );
    const owners = await this.repository.findOwners(transaction, provider, asked);
    const messages: IncomingMessage[] = [];
    const unassigned: ReceivedMessage[] = [];
    for (const { message, number, sender } of numbered) {
      const { channel } = message;
      const organisationId =
        number === undefined ? undefined : (message.organisationId ?? owners.get(keyOf({ channel, number })));
      if (number === undefined || organisationId === undefined) unassigned.push(message);
      else messages.push(incomingMessage(message, { organisationId, number, provider, sender }));
    }
    return { messages, unassigned };
  }
}
