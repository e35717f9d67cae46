import type { InboundReceipt, ReceiveInbound } from '@gangan/contracts';
import { unavailable } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { InboundRunner } from './inbound.runner.js';
import { InboundVerifier } from './inbound-verifier.js';
import { ReceivedRepository } from './received.repository.js';

/** Verifies and stores what providers send to gateways. */
@Injectable()
export class InboundReceiver {
  constructor(
    private readonly verifier: InboundVerifier,
    private readonly repository: ReceivedRepository,
    private readonly runner: InboundRunner,
  ) {}

  /** Returns after the commit, so the provider does not have to send the request again. @throws AppError 503 */
  async receive(request: ReceiveInbound): Promise<InboundReceipt> {
    const verdict = await this.verifier.verify(request, Date.now());
    switch (verdict.kind) {
      case 'forged':
        return { outcome: 'forged' };
      case 'unverifiable':
        throw unavailable();
      case 'challenge':
        return { outcome: 'answered', challenge: verdict.challenge };
      case 'genuine': {
        // Some providers check the URL with HEAD.
        if (request.method === 'HEAD') return { outcome: 'answered' };
        const isNew = await this.repository.store(verdict.request);
        if (isNew) void this.runner.look();
        return { outcome: isNew ? 'stored' : 'repeated' };
      }
    }
  }
}
