import type { ReceiveInbound } from '@gangan/contracts';
import { timeOfId } from '@gangan/protocol';
import { InboundContents } from '@gangan/providers';
import { Injectable } from '@nestjs/common';
import { InboundMetrics } from './inbound.metrics.js';
import { type ClaimedRequest, InboundRepository } from './inbound.repository.js';
import { InboundVerifier, type Verdict } from './inbound-verifier.js';
import { ReceivedRepository, type VerifiedRow } from './received.repository.js';

/** Verifies requests that gateways stored while no worker answered. */
@Injectable()
export class UnverifiedRequests {
  constructor(
    private readonly verifier: InboundVerifier,
    private readonly contents: InboundContents,
    private readonly requests: InboundRepository,
    private readonly repository: ReceivedRepository,
    private readonly metrics: InboundMetrics,
  ) {}

  /** Removes requests that are not genuine, or are stored already. @returns the verified requests */
  async verifyAll(requests: readonly ClaimedRequest[]): Promise<readonly ClaimedRequest[]> {
    const unverified = requests.filter(({ isVerified }) => !isVerified);
    if (unverified.length === 0) return requests;
    const genuine = new Map<ClaimedRequest, VerifiedRow>();
    const forged: ClaimedRequest[] = [];
    for (const request of unverified) {
      const verdict = await this.verdictOf(request);
      if (verdict.kind === 'unverifiable') await this.keep(request);
      else if (verdict.kind === 'genuine' && verdict.request.provider === request.provider)
        genuine.set(request, this.rowOf(request, verdict));
      else forged.push(request);
    }
    const marked = await this.repository.markVerified([...genuine.values()]);
    const repeated = [...genuine.keys()].filter(({ id }) => !marked.has(id));
    await this.repository.remove([...forged, ...repeated]);
    for (const { provider } of forged) this.metrics.unverified.inc({ provider, outcome: 'refused' });
    for (const { id, provider } of genuine.keys())
      this.metrics.unverified.inc({ provider, outcome: marked.has(id) ? 'genuine' : 'repeated' });
    return requests.flatMap((request) => {
      if (request.isVerified) return [request];
      const row = genuine.get(request);
      if (!row || !marked.has(request.id)) return [];
      return [{ ...request, isVerified: true, contentType: row.contentType, sealed: row.sealed }];
    });
  }

  /** A timestamp in the request is compared with the time at which it arrived. */
  private async verdictOf({ id, sealed }: ClaimedRequest): Promise<Verdict> {
    let request: ReceiveInbound | undefined;
    try {
      request = this.contents.openUnverified(sealed, id);
    } catch {
      return { kind: 'unverifiable' };
    }
    return request ? this.verifier.verify(request, Number(timeOfId(id))) : { kind: 'forged' };
  }

  private rowOf(
    { id, attempt }: ClaimedRequest,
    { request: { content, ...request } }: Extract<Verdict, { kind: 'genuine' }>,
  ): VerifiedRow {
    return { ...request, id, attempt, sealed: this.contents.seal(content, id) };
  }

  /** Keeps a request that could not be verified: `pnpm admin inbound replay` verifies it again. */
  private async keep({ id, provider, attempt, sealed }: ClaimedRequest): Promise<void> {
    const fault = 'it cannot be verified: check QUEUE_KEYS, DATA_KEYS and the kind of its provider';
    await this.requests.store([{ id, attempt, sealed, state: 'unparsed', fault }]);
    this.metrics.read.inc({ provider, state: 'unparsed' });
  }
}
