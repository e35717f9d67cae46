import type { Statements } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from './incoming-message.js';

/** Reacts to messages that organisations received. */
export interface IncomingHandler {
  /**
   * Called once for each new message, in the transaction that stores it: if it fails, nothing is stored, and the messages are
   * received again later.
   * @returns what is done after the commit; it must not fail
   */
  handle(transaction: Statements, messages: readonly IncomingMessage[]): Promise<(() => void) | undefined>;
}

/** The handlers, in the order in which they are called. Each adds itself when its module starts. */
@Injectable()
export class IncomingHandlers {
  readonly all: IncomingHandler[] = [];

  add(handler: IncomingHandler): void {
    this.all.push(handler);
  }
}
