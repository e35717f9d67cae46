import { Database, sql } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { Candidate } from './delivery.js';

/** A changed setting holds everywhere after this time. */
const memoryMs = 10_000;

interface Remembered {
  readonly isAsked: Promise<boolean>;
  readonly readAt: number;
}

/**
 * Finds those who want no promotional messages (DND), for organisations that ask for it: their SMS go by a route for
 * promotions. OTPs are none, and go to everybody. It believes what a live provider said lately, else the registry.
 */
@Injectable()
export class DoNotDisturb {
  private readonly organisations = new Map<string, Remembered>();

  constructor(private readonly database: Database) {}

  /** The ids of those that must not be sent, of deliveries of one organisation. */
  async among(organisationId: string, candidates: readonly Candidate[]): Promise<ReadonlySet<string>> {
    const messages = candidates.filter(({ channel, messageId }) => channel === 'sms' && messageId !== null);
    if (messages.length === 0 || !(await this.isAskedBy(organisationId))) return new Set();
    const rows = await this.database.query<{ id: string }>(sql`
      SELECT named.id FROM unnest(${messages.map(({ id }) => id)}::uuid[], ${messages.map(({ recipient }) => recipient)}::text[])
        AS named (id, phone)
      LEFT JOIN LATERAL (
        SELECT dnd FROM live_finding WHERE phone = named.phone AND dnd_until > now() LIMIT 1) told ON true
      LEFT JOIN LATERAL (
        SELECT true AS listed FROM dnd_number JOIN registry_import ON registry_import.id = dnd_number.import_id
        WHERE dnd_number.phone = named.phone AND registry_import.state = 'active' LIMIT 1) registry ON true
      WHERE coalesce(told.dnd, registry.listed, false)`);
    return new Set(rows.map(({ id }) => id));
  }

  private isAskedBy(organisationId: string): Promise<boolean> {
    const known = this.organisations.get(organisationId);
    if (known && performance.now() - known.readAt < memoryMs) return known.isAsked;
    const isAsked = this.read(organisationId);
    this.organisations.set(organisationId, { isAsked, readAt: performance.now() });
    isAsked.catch(() => this.organisations.delete(organisationId));
    return isAsked;
  }

  private async read(organisationId: string): Promise<boolean> {
    const [row] = await this.database.query<{ asked: boolean | null }>(sql`
      SELECT settings @> '{"sms": {"respect_dnd": true}}'::jsonb AS asked FROM organisation WHERE id = ${organisationId}`);
    return row?.asked ?? false;
  }
}
