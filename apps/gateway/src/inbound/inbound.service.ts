import { inboundReceived, isGenuine, isSameSecret, type ReceivedRequest } from '@gangan/contracts';
import { Announcer } from '@gangan/leases';
import { AppError, notFound } from '@gangan/protocol';
import { Queues } from '@gangan/queue';
import { RuntimeConfig } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { GatewayConfig } from '../gateway.config.js';
import { InboundMetrics } from './inbound.metrics.js';
import { InboundProviders, type KnownProvider } from './inbound-providers.js';
import { InboundRepository } from './inbound.repository.js';

/** A request to `/in/{provider}/{token}`. */
export interface ProviderRequest extends Omit<ReceivedRequest, 'url'> {
  readonly provider: string;
  readonly token: string;
  /** As it arrived: path and query. */
  readonly path: string;
  readonly address: string;
}

/** Verifies and stores what providers send. */
@Injectable()
export class InboundService {
  constructor(
    private readonly providers: InboundProviders,
    private readonly repository: InboundRepository,
    private readonly announcer: Announcer,
    private readonly queues: Queues,
    private readonly metrics: InboundMetrics,
    private readonly runtime: RuntimeConfig,
    private readonly config: GatewayConfig,
  ) {}

  /**
   * Returns after the commit: the provider need not send it again.
   * @throws AppError 404 if it is not genuine; 429; 503
   */
  async receive(request: ProviderRequest): Promise<void> {
    const { provider, token, method, path, headers, body } = request;
    const known = await this.providers.find(provider);
    const count = (outcome: string): void => {
      this.metrics.requests.inc({ provider: known?.name ?? '', outcome });
    };
    if (!this.isAccepted(known, request)) {
      count('refused');
      throw notFound('The path');
    }
    const { allowed, nextInMs } = await this.takeToken(provider);
    if (!allowed) {
      count('limited');
      throw tooMany(nextInMs);
    }
    // Some providers test an address with HEAD.
    if (method === 'HEAD') return;
    const [, query = ''] = path.split(/\?(.*)/s);
    const contentType = headers['content-type'];
    const id = await this.repository.store({ provider, token, method, query, contentType, body });
    count(id === undefined ? 'repeated' : 'stored');
    // The provider does not wait for the queue: a sweeper finds the row.
    if (id !== undefined) void this.announcer.announce(inboundReceived, [{ id }]);
  }

  /** Takes the same time for a known and an unknown provider until the token is right. */
  private isAccepted(known: KnownProvider | undefined, request: ProviderRequest): known is KnownProvider {
    const hasToken = isSameSecret(request.token, known?.token ?? '');
    return (
      known !== undefined &&
      hasToken &&
      known.isAllowedAddress(request.address) &&
      isGenuine(known.settings, known.secrets, {
        ...request,
        url: `${this.runtime.PUBLIC_URL.replace(/\/$/, '')}${request.path}`,
      })
    );
  }

  private takeToken(provider: string) {
    const perSecond = this.config.INBOUND_RATE_PER_SECOND;
    return this.queues.limits.take(`inbound:${provider}`, { perSecond, burst: 2 * perSecond });
  }
}

function tooMany(nextInMs: number): AppError {
  const retryAfter = Math.max(1, Math.ceil(nextInMs / 1_000));
  return new AppError('rate_limited', 429, `Too many requests. Retry after ${retryAfter} s.`, { retryAfter });
}
