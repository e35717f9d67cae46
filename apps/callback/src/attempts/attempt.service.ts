import { callbackRuleError, type CallbackRules } from '@gangan/contracts';
import { newContext, parseUrl, runInContext } from '@gangan/protocol';
import { AppLogger, RuntimeConfig } from '@gangan/runtime';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CallbackMetrics } from '../callback.metrics.js';
import { GuardedClient } from '@gangan/http-client';
import { AttemptRepository, breaker, type ClaimedCallback } from './attempt.repository.js';
import { type AttemptResult, decideOutcome, isEndpointOff } from './outcome.js';
import { CallbackBodies } from './callback-bodies.js';
import { signatureHeaders } from './signature.js';
import { SigningSecrets } from './signing-secrets.js';

@Injectable()
export class AttemptService implements OnApplicationShutdown {
  private readonly rules: CallbackRules;

  constructor(
    private readonly client: GuardedClient,
    private readonly secrets: SigningSecrets,
    private readonly bodies: CallbackBodies,
    private readonly repository: AttemptRepository,
    private readonly metrics: CallbackMetrics,
    private readonly logger: AppLogger,
    config: RuntimeConfig,
  ) {
    this.rules = { requiresHttps: config.isProduction };
  }

  onApplicationShutdown(): Promise<void> {
    return this.client.close();
  }

  /**
   * Makes one attempt and stores its result. Never fails: an attempt that is not stored is repeated.
   * @param onAnswer is called before the result is stored, unless it counts as a failure of the host
   * @returns whether the circuit of the host is open
   */
  make(callback: ClaimedCallback, onAnswer: () => void): Promise<boolean> {
    const { id: operationId, organisationId, requestId } = callback;
    return runInContext(newContext({ operationId, organisationId, requestId }), async () => {
      try {
        return await this.deliver(callback, onAnswer);
      } catch (error) {
        this.logger.warn(
          { err: error, callback: callback.id },
          'the result of an attempt could not be stored',
        );
        return false;
      }
    });
  }

  private async deliver(callback: ClaimedCallback, onAnswer: () => void): Promise<boolean> {
    const { id, organisationId, host, attempt, earlierAttempts } = callback;
    const startedAt = new Date();
    const result = await this.send(callback, startedAt);
    const endedAt = new Date();
    const decided = decideOutcome(result, attempt - earlierAttempts, endedAt);
    if (decided.hostWorks) onAnswer();
    const ended = await this.repository.endAttempt({
      callback,
      result,
      outcome: decided,
      outcomeAsFirst: decideOutcome(result, 1, endedAt),
      startedAt,
      endedAt,
    });
    if (!ended) return false;
    const { state: outcome } = ended;
    this.metrics.attempts.observe({ outcome }, (endedAt.getTime() - startedAt.getTime()) / 1_000);
    if (outcome !== 'pending') this.metrics.ended.inc({ outcome });
    const reason = result.outcome === 'answered' ? result.status : result.reason;
    const details = { callback: id, host, attempt, result: reason };
    if (outcome === 'failed' && !isEndpointOff(result))
      this.logger.warn(details, 'a callback failed: it is not retried');
    else this.logger.debug(details, `callback ${outcome}`);
    if (ended.opened) {
      this.logger.warn(
        { organisationId, host, failures: ended.failures },
        'a host keeps failing: its callbacks wait until it answers again',
      );
    }
    return ended.failures >= breaker.failures;
  }

  private isRefused(url: string): boolean {
    const target = parseUrl(url);
    return target !== undefined && callbackRuleError(target, this.rules) !== undefined;
  }

  private async send(callback: ClaimedCallback, at: Date): Promise<AttemptResult> {
    const { id, url, requestId, isEndpointOff: isOff, isRestricted } = callback;
    if (isOff) return { outcome: 'failed', reason: 'endpoint_off' };
    if (isRestricted && this.isRefused(url)) return { outcome: 'failed', reason: 'refused_url' };
    try {
      const body = this.bodies.open(callback);
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Gangan',
        'x-request-id': requestId,
        ...signatureHeaders({ id, body, secrets: this.secrets.open(callback), at }),
      };
      return await this.client.send({ url, headers, body });
    } catch (error) {
      this.logger.error(
        { err: error, callback: id },
        'a callback could not be sent because of an internal error',
      );
      return { outcome: 'failed', reason: 'unsent' };
    }
  }
}
