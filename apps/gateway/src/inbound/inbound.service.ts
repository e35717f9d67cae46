import { challengeOf, findForgery, inboundReceived, type ReceivedRequest } from '@gangan/contracts';
import { Announcer } from '@gangan/leases';
import { AppError, isId, LogInterval, notFound } from '@gangan/protocol';
import { Queues } from '@gangan/queue';
import { AppLogger, RuntimeConfig } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { GatewayConfig } from '../gateway.config.js';
import { bodyTooLarge } from '../http/errors/http.errors.js';
import { affordable, takeTokens } from '../http/request/take-tokens.js';
import { InboundMetrics } from './inbound.metrics.js';
import { hasToken, InboundProviders, type KnownProvider } from './inbound-providers.js';
import { InboundRepository } from './inbound.repository.js';

/** The parts of a request that are known before its body arrives. */
export interface Caller {
  readonly provider: string;
  readonly token: string;
  /** Our reference of a message, if the request is about one. */
  readonly reference: string | undefined;
  readonly address: string;
}

/** A request to `/in/{provider}/{token}` or `/in/{provider}/{token}/{reference}`. */
export interface ProviderRequest extends Omit<ReceivedRequest, 'url' | 'contentType'> {
  /** As it arrived: path and query. */
  readonly path: string;
  readonly contentType: string | undefined;
  readonly reference: string | undefined;
}

/** Room for about a hundred reports in one request. */
const defaultMaxBytes = 256 * 1_024;

export const maxBytesOf = ({ settings }: KnownProvider): number => settings.maxBytes ?? defaultMaxBytes;

/** Verifies and stores what providers send. */
@Injectable()
export class InboundService {
  private readonly refusals = new LogInterval();

  constructor(
    private readonly providers: InboundProviders,
    private readonly repository: InboundRepository,
    private readonly announcer: Announcer,
    private readonly queues: Queues,
    private readonly metrics: InboundMetrics,
    private readonly runtime: RuntimeConfig,
    private readonly config: GatewayConfig,
    private readonly logger: AppLogger,
  ) {}

  /**
   * A wrong token takes the same time whether the provider exists or not.
   * @throws AppError 404 if the name, the token, the reference or the address is wrong; 503
   */
  async admit({ provider, token, reference, address }: Caller): Promise<KnownProvider> {
    const known = await this.providers.find(provider);
    const isCaller = hasToken(known, token);
    const hasReference = reference === undefined || isId(reference);
    if (!known || !isCaller || !hasReference) throw this.refuse(known);
    if (known.isAllowedAddress(address)) return known;
    throw this.refuse(known, `its address ${address} is not in inbound.addresses: see TRUSTED_PROXIES`);
  }

  /** Called before the body is read or hashed. @throws AppError 429 if the provider has used up its limit */
  async takeTokens(known: KnownProvider, tokens: number): Promise<void> {
    const perSecond = this.config.INBOUND_RATE_PER_SECOND;
    const limit = { perSecond, burst: 2 * perSecond };
    const bucket = `inbound:${known.name}`;
    const count = affordable(tokens, limit);
    const { allowed, nextInMs } = await takeTokens(this.queues.limits, bucket, limit, count);
    if (allowed) return;
    this.count('limited', known);
    throw tooMany(nextInMs);
  }

  refuseInProgress(known: KnownProvider, max: number): AppError {
    this.count('limited', known);
    return new AppError(
      'rate_limited',
      429,
      `This provider may have ${max} requests in progress at a time. Retry after 1 s.`,
      { retryAfter: 1 },
    );
  }

  /**
   * Returns after the commit, so the provider does not have to send the request again.
   * @returns what the provider expects in the response, if that is not empty
   * @throws AppError 404 if it is not genuine; 413; 503
   */
  async receive(known: KnownProvider, request: ProviderRequest): Promise<string | undefined> {
    const { name: provider, token, settings, secrets } = known;
    const { method, path, headers, contentType, body, reference } = request;
    const url = `${this.runtime.PUBLIC_URL.replace(/\/$/, '')}${path}`;
    const challenge = challengeOf(settings, secrets, { method, url });
    const forgery =
      challenge === undefined
        ? findForgery(settings, secrets, { method, url, headers, contentType, body })
        : undefined;
    if (forgery !== undefined) throw this.refuse(known, forgery);
    if (body.length > maxBytesOf(known)) throw bodyTooLarge(maxBytesOf(known));
    if (challenge !== undefined) {
      this.count('verified', known);
      return challenge;
    }
    // Some providers check the URL with HEAD.
    if (method === 'HEAD') return undefined;
    const [, query = ''] = path.split(/\?(.*)/s);
    const id = await this.repository.store({ provider, token, method, query, contentType, body, reference });
    this.count(id === undefined ? 'repeated' : 'stored', known);
    // Not awaited: if the event is lost, the sweeper finds the row.
    if (id !== undefined) void this.announcer.announce(inboundReceived, [{ id }]);
    return undefined;
  }

  /** The response does not say what was wrong. @param cause logged once a minute; only of requests with the right token */
  private refuse(known: KnownProvider | undefined, cause?: string): AppError {
    this.count('refused', known);
    const requests = known && cause !== undefined ? this.refusals.take(known.name) : undefined;
    if (known && requests !== undefined)
      this.logger.warn({ provider: known.name, cause, requests }, 'a request of a provider was refused');
    return notFound('The path');
  }

  private count(outcome: string, known: KnownProvider | undefined): void {
    this.metrics.requests.inc({ provider: known?.name ?? '', outcome });
  }
}

function tooMany(nextInMs: number): AppError {
  const retryAfter = Math.max(1, Math.ceil(nextInMs / 1_000));
  return new AppError('rate_limited', 429, `Too many requests. Retry after ${retryAfter} s.`, { retryAfter });
}
