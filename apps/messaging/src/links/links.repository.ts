import { type ContentCallback, hasEndpoints, recordContentCallbacks } from '@gangan/callbacks';
import { type Channel, type ClickedLink, formatTimestamp, maxIndividualClicks } from '@gangan/contracts';
import { command, Database, type RowOf, sql, statement, StatementLoader, t, unnest } from '@gangan/database';
import { firstIdAt, timeOfId } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { messageCallback, type ReportedDeliveryState } from '../outcome/message-callback.js';
import { StoredTexts } from '../text/stored-texts.js';

/** The new clicks of a link: `single` ones are stored and get a callback each; the others are only counted. */
interface SelectedClicks extends ClickedLink {
  readonly single: readonly string[];
}

const minuteMs = 60_000;

const findLinks = statement(
  {
    code: t.text,
    url: t.nullable(t.text),
    sealedUrl: t.nullable(t.bytes),
    organisationId: t.uuid,
    isTest: t.bool,
  },
  (codes: readonly string[]) => sql`
    SELECT asked.code, link.url, link.sealed_url AS "sealedUrl", organisation.id AS "organisationId",
      organisation.mode = 'test' AS "isTest"
    FROM unnest(${codes}::text[]) AS asked (code)
    CROSS JOIN LATERAL (
      SELECT url, sealed_url, delivery_id FROM tracked_link WHERE code = asked.code LIMIT 1) AS link
    CROSS JOIN LATERAL (
      SELECT organisation_id FROM delivery WHERE id = link.delivery_id LIMIT 1) AS delivery
    CROSS JOIN LATERAL (
      SELECT id, mode FROM organisation WHERE id = delivery.organisation_id LIMIT 1) AS organisation`,
);

type StoredUrl = Pick<RowOf<typeof findLinks>, 'code' | 'url' | 'sealedUrl' | 'organisationId'>;

/** Links with their deliveries and messages. Codes are sorted, so that two transactions cannot deadlock. */
const lockLinks = statement(
  {
    code: t.text,
    /** The position of the link, from 0. */
    position: t.int,
    url: t.nullable(t.text),
    sealedUrl: t.nullable(t.bytes),
    deliveryId: t.uuid,
    channel: t.enumOf<Channel>('channel'),
    recipientGiven: t.text,
    state: t.enumOf<ReportedDeliveryState>('delivery_state'),
    errorCode: t.nullable(t.text),
    errorMessage: t.nullable(t.text),
    createdAt: t.timestamp,
    updatedAt: t.nullable(t.timestamp),
    messageId: t.uuid,
    organisationId: t.uuid,
    requestId: t.text,
    externalRef: t.nullable(t.text),
    callbackUrl: t.nullable(t.text),
    hasEndpoints: t.bool,
  },
  (sortedCodes: readonly string[]) => sql`
    SELECT link.code, link.position, link.url, link.sealed_url AS "sealedUrl", link.delivery_id AS "deliveryId", delivery.channel,
      delivery.recipient_given AS "recipientGiven", delivery.state, delivery.error_code AS "errorCode",
      delivery.error_message AS "errorMessage", delivery.created_at AS "createdAt", delivery.updated_at AS "updatedAt",
      message.id AS "messageId", message.organisation_id AS "organisationId", message.request_id AS "requestId",
      message.external_ref AS "externalRef", message.callback_url AS "callbackUrl",
      ${hasEndpoints(sql`message.organisation_id`)} AS "hasEndpoints"
    FROM unnest(${sortedCodes}::text[]) AS asked (code)
    CROSS JOIN LATERAL (
      SELECT code, delivery_id, position, url, sealed_url FROM tracked_link WHERE code = asked.code LIMIT 1 FOR NO KEY UPDATE) AS link
    CROSS JOIN LATERAL (
      SELECT message_id, channel, recipient_given, state, created_at, updated_at, error_code, error_message
      FROM delivery WHERE id = link.delivery_id LIMIT 1) AS delivery
    CROSS JOIN LATERAL (
      SELECT id, organisation_id, request_id, external_ref, callback_url
      FROM message WHERE id = delivery.message_id LIMIT 1) AS message`,
);

type LockedLink = RowOf<typeof lockLinks>;

/** A request was counted before if its first click is stored. */
const findStoredClicks = statement(
  {
    /** The position among `links`, from 1. */
    position: t.int,
    isCounted: t.bool,
    /** Clicks of the last minute. */
    recent: t.int,
  },
  (links: readonly ClickedLink[], since: string) => sql`
    SELECT asked.position::int, known.id IS NOT NULL AS "isCounted", recent.clicks AS recent
    FROM unnest(${links.map(({ code }) => code)}::text[], ${links.map(({ ids }) => ids[0] ?? null)}::uuid[])
      WITH ORDINALITY AS asked (code, first, position)
    LEFT JOIN LATERAL (SELECT id FROM link_click WHERE id = asked.first LIMIT 1) AS known ON true
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS clicks FROM (
        SELECT FROM link_click WHERE code = asked.code AND id >= ${since}::uuid
        LIMIT ${maxIndividualClicks}) AS few) AS recent`,
);

type StoredClicks = RowOf<typeof findStoredClicks>;

const storeClicks = statement(
  { id: t.uuid, code: t.text },
  (clicks: readonly { readonly id: string; readonly code: string; readonly at: Date }[]) => sql`
    INSERT INTO link_click (id, code, clicked_at)
    SELECT id, code, at FROM ${unnest('click', clicks, { uuid: ['id'], text: ['code'], timestamptz: ['at'] })}
    ON CONFLICT DO NOTHING RETURNING id, code`,
);

/** Several sums may be for the same link. */
const addClicks = command(
  (sums: readonly { readonly code: string; readonly count: number; readonly last: Date }[]) => sql`
    UPDATE tracked_link AS link SET clicks = link.clicks + click.count,
      clicked_at = greatest(link.clicked_at, click.last)
    FROM (
      SELECT code, sum(count)::int AS count, max(last) AS last
      FROM ${unnest('given', sums, { text: ['code'], int: ['count'], timestamptz: ['last'] })}
      GROUP BY code) AS click
    WHERE link.code = ANY (${sums.map(({ code }) => code)}::text[]) AND link.code = click.code`,
);

@Injectable()
export class LinksRepository {
  private readonly links = new StatementLoader(
    async (codes: readonly string[]) => {
      const rows = await this.database.run(findLinks, codes);
      const byCode = new Map(rows.map((row) => [row.code, { url: this.readUrl(row), isTest: row.isTest }]));
      return codes.map((code) => byCode.get(code));
    },
    { readOnly: true },
  );

  constructor(
    private readonly database: Database,
    private readonly texts: StoredTexts,
    private readonly logger: AppLogger,
  ) {}

  /** Public: knowing the code is enough. */
  find(code: string): Promise<{ readonly url?: string | undefined; readonly isTest: boolean } | undefined> {
    return this.links.load(code);
  }

  private readUrl({ code, url, sealedUrl, organisationId }: StoredUrl): string | undefined {
    return sealedUrl ? this.texts.openUrl(code, organisationId, sealedUrl) : (url ?? undefined);
  }

  /** Stores clicks, counts and callbacks together. Clicks that were counted before are not counted again. */
  count(links: readonly ClickedLink[]) {
    return this.database.transaction(async (transaction) => {
      const codes = [...new Set(links.map(({ code }) => code))].sort();
      const rows = await transaction.run(lockLinks, codes);
      const known = new Map(rows.map((row) => [row.code, row]));
      const clicked = links.filter(({ code }) => known.has(code));
      const since = firstIdAt(new Date(Date.now() - minuteMs));
      const selected = selectClicks(clicked, await transaction.run(findStoredClicks, clicked, since));
      const clicks = selected.flatMap(({ code, single }) =>
        single.map((id) => ({ id, code, at: timeOfId(id) })),
      );
      const stored = await transaction.run(storeClicks, clicks);
      const storedIds = new Set(stored.map(({ id }) => id));
      const sums = selected.map(({ code, ids, single, more }) => ({
        code,
        count: more + single.filter((id) => storedIds.has(id)).length,
        last: new Date(Math.max(0, ...ids.map((id) => timeOfId(id).getTime()))),
      }));
      if (sums.length > 0) await transaction.run(addClicks, sums);
      const callbacks = stored.flatMap((click) => this.callbackOf(known.get(click.code), click));
      const callbackIds = await recordContentCallbacks(transaction, callbacks, this.texts.sealCallback);
      return { counted: sums.reduce((sum, { count }) => sum + count, 0), callbackIds };
    });
  }

  /** Empty if nothing receives the event. The URL may be secret: `SEAL_MESSAGES` seals it like a text. */
  private callbackOf(link: LockedLink | undefined, click: { readonly id: string }): ContentCallback[] {
    if (!link || (link.callbackUrl === null && !link.hasEndpoints)) return [];
    const message = { ...link, id: link.messageId };
    const facts = { link: link.position + 1, clicked_datetime: formatTimestamp(timeOfId(click.id)) };
    const callbackWith = (shown: typeof facts & { readonly url?: string }) =>
      messageCallback('message.clicked', { ...link, id: link.deliveryId }, message, shown);
    const url = this.openUrl(link);
    const callback = callbackWith({ ...facts, ...(url !== undefined && { url }) });
    return [{ ...callback, withoutText: callbackWith(facts).body }];
  }

  /** Undefined if it cannot be opened; the click still counts. */
  private openUrl(link: LockedLink): string | undefined {
    try {
      return this.readUrl(link);
    } catch (error) {
      this.logger.error({ row: link.code, reason: String(error) }, 'could not open a sealed text');
      return undefined;
    }
  }
}

/** Leaves out what was counted before. At most `maxIndividualClicks` clicks of a link in a minute get a callback. */
function selectClicks(links: readonly ClickedLink[], known: readonly StoredClicks[]): SelectedClicks[] {
  const used = new Map<string, number>();
  return known.flatMap(({ position, isCounted, recent }) => {
    const link = links[position - 1];
    if (!link || isCounted) return [];
    const { code, ids, more } = link;
    const taken = recent + (used.get(code) ?? 0);
    const single = ids.slice(0, Math.max(0, maxIndividualClicks - taken));
    used.set(code, (used.get(code) ?? 0) + single.length);
    return [{ code, ids, single, more: more + ids.length - single.length }];
  });
}
