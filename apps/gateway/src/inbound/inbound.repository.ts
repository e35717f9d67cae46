import { createHash } from 'node:crypto';
import { inboundContent } from '@gangan/contracts';
import { command, Database, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { InboundSealer } from '@gangan/sealing';
import { Injectable } from '@nestjs/common';

/** A verified request of a provider. */
export interface VerifiedRequest {
  readonly provider: string;
  readonly token: string;
  readonly method: string;
  readonly query: string;
  readonly contentType: string | undefined;
  readonly body: Buffer;
  /** Our reference of the message whose `{report_url}` was called. */
  readonly reference: string | undefined;
}

interface NewRow {
  readonly id: string;
  readonly provider: string;
  readonly digest: Buffer;
  readonly method: string;
  readonly contentType: string | null;
  readonly sealed: Buffer;
}

/** No conflict target, because that needs the privilege to read rows, which the gateway does not have. */
const insertRequest = command(
  ({ id, provider, digest, method, contentType, sealed }: NewRow) => sql`
    INSERT INTO inbound_request (id, provider, digest, method, content_type, sealed_content, next_attempt_at)
    VALUES (${id}::uuid, ${provider}, ${digest}, ${method}, ${contentType}, ${sealed}, now())
    ON CONFLICT DO NOTHING`,
);

const maxTypeLength = 200;

@Injectable()
export class InboundRepository {
  constructor(
    private readonly database: Database,
    private readonly sealer: InboundSealer,
  ) {}

  /** @returns its id; undefined if the same request was stored before */
  async store(request: VerifiedRequest): Promise<string | undefined> {
    const { provider, method, query, contentType, body, reference } = request;
    const id = newId();
    const inserted = await this.database.run(insertRequest, {
      id,
      provider,
      method,
      digest: digestOf(request),
      contentType: contentType?.slice(0, maxTypeLength).replaceAll(/[^\x20-\x7e]/g, '') ?? null,
      sealed: this.sealer.seal(JSON.stringify(inboundContent(query, body, reference)), id),
    });
    return inserted > 0 ? id : undefined;
  }
}

/** Keyed with the token, so that a reader of the database cannot search for numbers or texts. */
const digestOf = ({ token, method, query, body, reference }: VerifiedRequest): Buffer =>
  createHash('sha256')
    .update([token, method, query, ...(reference === undefined ? [] : [reference]), ''].join('\0'))
    .update(body)
    .digest();
