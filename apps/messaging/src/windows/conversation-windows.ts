import type { MessageCategory } from '@gangan/contracts';
import { Database, type RowOf, type Sql, sql, statement, t, unnest } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { simulatorName } from '../providers/message-provider.js';
import { type MessageSender, Providers } from '../providers/providers.js';
import { hasClosedWindow } from '../providers/simulator.js';

/** A message that may be free text on WhatsApp. */
export interface WindowedMessage extends MessageSender {
  readonly category: MessageCategory;
  /** Templates can be sent at any time. */
  readonly hasTemplate: boolean;
}

/** A number of the organisation, given by its provider, and a recipient. */
interface Pair {
  readonly provider: string;
  readonly phone: string;
}

/** How long free text can be sent after the last message of the recipient. */
export const windowHours = 24;

export const hoursAgo = (hours: number): Sql => sql`now() - ${hours}::int * interval '1 hour'`;

/** WhatsApp repeats webhooks for this long. After such a silence, the provider may no longer bring messages. */
export const maxSilentDays = 7;

/**
 * `isOpen`: the recipient, or somebody whose phone number WhatsApp hides, has written to the number in time. `isKnown`: the
 * provider has brought messages for so long that an earlier one cannot have opened a window, and has not stopped since.
 */
const findWindows = statement(
  { provider: t.text, phone: t.text, isOpen: t.bool, isKnown: t.bool },
  (organisationId: string, pairs: readonly Pair[]) => sql`
    SELECT pair.provider, pair.phone,
      coalesce(own.received_at > ${hoursAgo(windowHours)}, false) AS "isOpen",
      coalesce(receiver.first_received_at <= ${hoursAgo(windowHours)}
        AND receiver.last_received_at > ${hoursAgo(maxSilentDays * 24)}, false) AS "isKnown"
    FROM ${unnest('pair', pairs, { text: ['provider', 'phone'] })}
    LEFT JOIN LATERAL (
      SELECT first_received_at, last_received_at FROM whatsapp_receiver
      WHERE organisation_id = ${organisationId}::uuid AND provider = pair.provider LIMIT 1) AS receiver ON true
    LEFT JOIN LATERAL (
      SELECT max(received_at) AS received_at FROM whatsapp_window
      WHERE organisation_id = ${organisationId}::uuid AND provider = pair.provider
        AND phone = ANY (ARRAY['', pair.phone])) AS own ON true`,
);

/** Finds recipients to whom WhatsApp would not send free text. */
@Injectable()
export class ConversationWindows {
  constructor(
    private readonly database: Database,
    private readonly providers: Providers,
  ) {}

  /**
   * The recipients whose window is closed at every provider of their route. A provider whose incoming messages do not reach
   * us, or not for 24 hours yet, decides itself. At the simulator all windows are open but one.
   */
  async findClosed<D extends { readonly id: string; readonly recipient: string }>(
    { hasTemplate, ...message }: WindowedMessage,
    deliveries: readonly D[],
  ): Promise<ReadonlySet<D>> {
    if (message.channel !== 'whatsapp' || hasTemplate || deliveries.length === 0) return new Set();
    const ported = await this.providers.findPorted([{ mode: message.mode, deliveries }]);
    const routed = deliveries.flatMap((delivery) => {
      const { id, recipient } = delivery;
      const portedTo = ported.get(recipient) ?? null;
      const { round } = this.providers.routeFor({ ...message, id, recipient, portedTo, trafficClass: 'sms' });
      const isOpen = round.length === 0 || round.some(({ name }) => isAlwaysOpen(name, recipient));
      return isOpen ? [] : [{ delivery, providers: round.map(({ name }) => name) }];
    });
    if (routed.length === 0) return new Set();
    const pairs = routed.flatMap(({ delivery: { recipient: phone }, providers }) =>
      providers.map((provider) => ({ provider, phone })),
    );
    const windows = await this.database.run(findWindows, message.organisationId, pairs);
    const closed = new Set(windows.filter(isClosed).map(keyOf));
    return new Set(
      routed
        .filter(({ delivery: { recipient: phone }, providers }) =>
          providers.every((provider) => closed.has(keyOf({ provider, phone }))),
        )
        .map(({ delivery }) => delivery),
    );
  }
}

const isClosed = ({ provider, isOpen, isKnown }: RowOf<typeof findWindows>): boolean =>
  !isOpen && (isKnown || provider === simulatorName);

const isAlwaysOpen = (provider: string, recipient: string): boolean =>
  provider === simulatorName && !hasClosedWindow(recipient);

const keyOf = ({ provider, phone }: Pair): string => `${provider} ${phone}`;
