import { command, sql, type Statements, unnest } from '@gangan/database';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { groupBy } from '../grouping.js';
import { type IncomingHandler, IncomingHandlers } from '../inbox/incoming-handler.js';
import type { IncomingMessage } from '../inbox/incoming-message.js';
import { hoursAgo, maxSilentDays } from './conversation-windows.js';

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

/**
 * Counts from now, not from when the messages were sent: others of that time may not have arrived. After a long silence it
 * begins anew. Updated at most once an hour, so that transactions do not wait for each other.
 */
const storeReceivers = command(
  (sorted: readonly Pick<WrittenAt, 'organisationId' | 'provider'>[]) => sql`
    INSERT INTO whatsapp_receiver AS known (organisation_id, provider, first_received_at, last_received_at)
    SELECT organisation_id, provider, now(), now()
    FROM ${unnest('new', sorted, { uuid: ['organisationId'], text: ['provider'] })}
    WHERE NOT EXISTS (SELECT FROM whatsapp_receiver AS recent WHERE recent.organisation_id = new.organisation_id
      AND recent.provider = new.provider AND recent.last_received_at > ${hoursAgo(1)})
    ON CONFLICT (organisation_id, provider) DO UPDATE SET
      first_received_at = CASE WHEN known.last_received_at > ${hoursAgo(maxSilentDays * 24)}
        THEN known.first_received_at ELSE excluded.first_received_at END,
      last_received_at = excluded.last_received_at`,
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
    const sorted = latest.toSorted((one, other) => (one.key < other.key ? -1 : 1));
    await transaction.run(storeWindows, sorted);
    const receivers = groupBy(sorted, ({ organisationId, provider }) => `${organisationId} ${provider}`);
    await transaction.run(
      storeReceivers,
      [...receivers.values()].flatMap(([first]) => first ?? []),
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
