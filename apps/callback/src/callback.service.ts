import { newContext, runInContext } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CallbackMetrics } from './callback-metrics.js';
import { CallbackRepository } from './callback.repository.js';
import type { Claimed } from './delivery/claimed.js';
import { type Attempted, judge, type Verdict } from './delivery/verdict.js';
import { GuardedClient } from './guarded/guarded-client.js';
import { signatureHeaders } from './signing/sign.js';

@Injectable()
export class CallbackService implements OnApplicationShutdown {
  constructor(
    private readonly client: GuardedClient,
    private readonly repository: CallbackRepository,
    private readonly metrics: CallbackMetrics,
    private readonly logger: AppLogger,
  ) {}

  onApplicationShutdown(): Promise<void> {
    return this.client.close();
  }

  /** One attempt, up to what is written down about it. Never fails: what is not written down is tried again. */
  async attempt(callback: Claimed): Promise<void> {
    const { id: operationId, organisationId, requestId } = callback;
    await runInContext(newContext({ operationId, organisationId, requestId }), async () => {
      try {
        await this.deliver(callback);
      } catch (error) {
        this.logger.warn({ err: error, callback: callback.id }, 'an attempt could not be written down');
      }
    });
  }

  private async deliver(callback: Claimed): Promise<void> {
    const startedAt = new Date();
    const attempted = await this.send(callback, startedAt);
    const endedAt = new Date();
    const verdict = judge(attempted, callback.attempt - callback.earlierAttempts, endedAt);
    const verdictOfFirst = judge(attempted, 1, endedAt);
    const ended = await this.repository.end({
      callback,
      attempted,
      verdict,
      verdictOfFirst,
      startedAt,
      endedAt,
    });
    if (!ended) return;
    this.metrics.countAttempt(ended.state, (endedAt.getTime() - startedAt.getTime()) / 1_000);
    this.tell(callback, attempted, ended.state);
    if (ended.opened) {
      const { organisationId, host: name } = callback;
      this.logger.warn(
        { organisationId, host: name, failures: ended.failures },
        'a host keeps failing: its callbacks wait until it answers again',
      );
    }
  }

  private async send(callback: Claimed, at: Date): Promise<Attempted> {
    const { id, body, secrets, url, requestId } = callback;
    try {
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Gangan',
        'x-request-id': requestId,
        ...signatureHeaders({ id, body, secrets, at }),
      };
      return await this.client.post({ url, headers, body });
    } catch (error) {
      this.logger.error({ err: error, callback: id }, 'a callback could not be sent, and the fault is ours');
      return { outcome: 'failed', reason: 'unsent' };
    }
  }

  private tell(callback: Claimed, attempted: Attempted, state: Verdict['state']): void {
    const { id, host, attempt } = callback;
    const result = attempted.outcome === 'answered' ? attempted.status : attempted.reason;
    const details = { callback: id, host, attempt, result };
    if (state === 'failed') this.logger.warn(details, 'a callback was never taken: it is not tried again');
    else this.logger.debug(details, `callback ${state}`);
  }
}
