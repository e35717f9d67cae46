import type { Database, InboundRequest, InboundState } from '@gangan/database';
import { isId } from '@gangan/protocol';
import { InboundContents, readInbound } from '@gangan/providers';
import { type DataSealer, InboundSealer } from '@gangan/sealing';
import type { Access } from '../access.js';
import { change } from '../audit.js';
import { openInboundToken } from '../providers/inbound-token.js';
import { readProvider, type SealedAccess } from '../providers/stored-provider.js';
import { Refusal } from '../refusal.js';

export interface InboundFilter {
  readonly provider?: string;
  readonly state?: InboundState;
}

/** Requests from providers, newest first. */
export async function listInboundRequests(database: Database, where: InboundFilter, limit: number) {
  const rows = await database.inboundRequest.findMany({ where, orderBy: { id: 'desc' }, take: limit });
  return rows.map((row) => ({
    id: row.id,
    provider: row.provider,
    state: row.state,
    verified: isVerified(row),
    method: row.method,
    attempts: row.attempt,
    received: row.receivedAt,
    fault: row.fault,
  }));
}

/**
 * A request without secrets and long numbers, and what the settings of its provider find in it. One that is not verified may
 * be forged.
 * @param receivedKeys of what gateways store; called only for requests that no worker could read
 */
export async function showInboundRequest(
  access: SealedAccess,
  id: string,
  receivedKeys: () => Promise<readonly string[]>,
) {
  const { database, sealer } = access;
  const row = await findInboundRequest(database, id);
  const provider = await readProvider(database, sealer, row.provider);
  const content = await open(row, await sealer(), receivedKeys);
  const token = provider && (await openInboundToken(sealer, provider).catch(() => undefined));
  const secrets = [...Object.values(provider?.secrets ?? {}), ...(token === undefined ? [] : [token])];
  const read = provider && readInbound(provider, content);
  await change(access, 'inbound show', (_, log) => log({ target: id }));
  return {
    id,
    provider: row.provider,
    state: row.state,
    verified: isVerified(row),
    fault: row.fault,
    attempts: row.attempt,
    received: row.receivedAt,
    method: row.method,
    content_type: content.contentType,
    query: maskContent(content.query, secrets) || undefined,
    body: maskContent(content.body, secrets) || undefined,
    faults: read?.faults,
    reports: read?.reports.map(({ providerReference, reference, state, reason, cost }) => ({
      ...{ provider_reference: providerReference, reference, state, reason, cost },
    })),
    messages: read?.messages.map(({ channel, type, reference }) => ({
      ...{ channel, type, provider_reference: reference },
    })),
  };
}

/** Lets a worker read a request again, or all of a provider that could not be read. Returns their number. */
export async function replayInboundRequests(
  access: Access,
  given: { readonly id: string } | { readonly provider: string },
): Promise<number> {
  const target = 'id' in given ? given.id : given.provider;
  const where = 'id' in given ? given : { ...given, state: 'unparsed' as const };
  if ('id' in given) await findInboundRequest(access.database, given.id);
  return change(access, 'inbound replay', async (models, log) => {
    const due = { state: 'received', fault: null, attempt: 0, unfinishedClaims: 0 } as const;
    const { count } = await models.inboundRequest.updateMany({
      where: { ...where, NOT: { state: 'received' } },
      data: { ...due, nextAttemptAt: new Date() },
    });
    await log({ target, after: { replayed: count } });
    return count;
  });
}

const isVerified = ({ unverifiedBytes }: InboundRequest): boolean => unverifiedBytes === null;

async function findInboundRequest(database: Database, id: string): Promise<InboundRequest> {
  const row = isId(id) ? await database.inboundRequest.findUnique({ where: { id } }) : null;
  if (row) return row;
  throw new Refusal('not_found', `There is no request ${id}`, { next: 'list_inbound' });
}

async function open(
  row: InboundRequest,
  sealer: DataSealer,
  receivedKeys: () => Promise<readonly string[]>,
): Promise<Parameters<typeof readInbound>[1]> {
  const { id, sealedContent } = row;
  const contentType = row.contentType ?? undefined;
  try {
    if (isVerified(row)) return { ...new InboundContents(sealer).open(sealedContent, id), contentType };
  } catch {
    // Version 0.2 has stored it.
  }
  const contents = new InboundContents(sealer, new InboundSealer(await receivedKeys()));
  try {
    if (isVerified(row)) return { ...contents.open(sealedContent, id), contentType };
    const request = contents.openUnverified(sealedContent, id);
    const query = request?.url.split(/\?(.*)/s)[1] ?? '';
    return { query, body: request?.body ?? '', contentType: request?.content_type };
  } catch (cause) {
    const sentence = 'The request cannot be opened: check DATA_MASTER_KEY and QUEUE_MASTER_KEY.';
    throw new Refusal('conflict', sentence, { cause });
  }
}

/** Phone numbers, OTPs and other personal numbers. The last digits of long ones are kept, to tell them apart. */
const numbers = /\d{4,}/g;
const maxLength = 4_096;

/** A request as operators see it: without secrets and personal numbers. */
function maskContent(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const withoutSecrets = forms.reduce((masked, form) => masked.replaceAll(form, '***'), text);
  return withoutSecrets
    .slice(0, maxLength)
    .replaceAll(numbers, (digits) => (digits.length < 8 ? '…' : `…${digits.slice(-2)}`))
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ');
}
