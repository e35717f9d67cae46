import { command, sql, type Statements, unnest } from '@gangan/database';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { groupBy } from '../grouping.js';
import { type IncomingHandler, IncomingHandlers } from '../inbox/incoming-handler.js';
import type { IncomingMessage } from '../inbox/incoming-message.js';

interface WrittenAt {
  readonly organisationId: string;
  readonly provider: string;
  readonly phone: string;
  readonly receivedAt: Date;
}

/** Messages may arrive late and in any order. Sorted, so that transactions cannot deadlock. */
const storeWindows = command(
  (sorted: readonly WrittenAt[]) => sql`
    INSERT INTO whatsapp_window (organisation_id, provider, phone, received_at)
    SELECT organisation_id, provider, phone, least(received_at, now()) FROM ${unnest('new', sorted, {
      uuid: ['organisationId'],
      text: ['provider', 'phone'],
      timestamptz: ['receivedAt'],
    })}
    ON CONFLICT (organisation_id, provider, phone) DO UPDATE
      SET received_at = greatest(whatsapp_window.received_at, excluded.received_at)`,
);

/** Records who has written on WhatsApp. It outlives the messages, which may be removed sooner than a window closes. */
@Injectable()
export class WindowRecorder implements IncomingHandler, OnModuleInit {
  constructor(private readonly handlers: IncomingHandlers) {}

  onModuleInit(): void {
    this.handlers.add(this);
  }

  async handle(transaction: Statements, messages: readonly IncomingMessage[]): Promise<undefined> {
    const written = messages.filter(({ channel }) => channel === 'whatsapp').map(writtenAt);
    if (written.length === 0) return;
    const latest = [...groupBy(written, keyOf)].map(([key, group]) => ({
      key,
      ...group.reduce((one, other) => (other.receivedAt > one.receivedAt ? other : one)),
    }));
    await transaction.run(
      storeWindows,
      latest.toSorted((one, other) => (one.key < other.key ? -1 : 1)),
    );
  }
}

/** A sender that is not a phone number is known to WhatsApp only. */
const writtenAt = ({ organisationId, provider, sender, sentAt, receivedAt }: IncomingMessage): WrittenAt => ({
  organisationId,
  provider,
  phone: /^\+[1-9]\d{1,14}$/.test(sender) ? sender : '',
  receivedAt: sentAt ?? receivedAt,
});

const keyOf = ({ organisationId, provider, phone }: WrittenAt): string =>
  `${organisationId} ${provider} ${phone}`;
