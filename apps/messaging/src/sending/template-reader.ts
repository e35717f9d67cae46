import { type Channel, Database, sql, StatementLoader } from '@gangan/database';
import { isId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';

/** As much of a template as a message takes with it. */
export interface TemplateText {
  readonly channel: Channel;
  readonly body: string;
  readonly providerName: string | null;
  readonly language: string | null;
  readonly variables: readonly string[];
}

interface Owned {
  readonly id: string;
  readonly organisationId: string;
}

/** Reads templates for all members of a batch at once, and anew each time: a change holds for the next message. */
@Injectable()
export class TemplateReader {
  private readonly templates = new StatementLoader((asked: readonly Owned[]) => this.findAll(asked), {
    readOnly: true,
  });

  constructor(private readonly database: Database) {}

  async find(organisationId: string, id: string): Promise<TemplateText | undefined> {
    return isId(id) ? (await this.templates.load({ id: id.toLowerCase(), organisationId })).found : undefined;
  }

  private async findAll(asked: readonly Owned[]): Promise<{ found: TemplateText | undefined }[]> {
    const rows = await this.database.query<TemplateText & Owned>(sql`
      SELECT found.id, found.organisation_id AS "organisationId", found.channel, found.body,
        found.provider_name AS "providerName", found.language, found.variables
      FROM unnest(${[...new Set(asked.map(({ id }) => id))]}::uuid[]) AS asked (id)
      CROSS JOIN LATERAL (
        SELECT id, organisation_id, channel, body, provider_name, language, variables
        FROM template WHERE id = asked.id LIMIT 1) found`);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return asked.map(({ id, organisationId }) => {
      const row = byId.get(id);
      return { found: row?.organisationId === organisationId ? row : undefined };
    });
  }
}
