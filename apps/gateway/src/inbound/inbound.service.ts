import type { IncomingHttpHeaders } from 'node:http';
import {
  type InboundReceipt,
  maxCompressedBytes,
  packBody,
  type ReceiveInbound,
  receiveInbound,
} from '@gangan/contracts';
import { AppError, isId, LogInterval, notFound, unavailable } from '@gangan/protocol';
import { QueueClient, Queues } from '@gangan/queue';
import { AppLogger, RuntimeConfig } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { GatewayConfig } from '../gateway.config.js';
import { bodyIncompressible, bodyTooLarge } from '../http/errors/http.errors.js';
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
export interface ProviderRequest {
  readonly method: string;
  /** As it arrived: path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

/** Room for about a hundred reports in one request. */
const defaultMaxBytes = 256 * 1_024;

export const maxBytesOf = ({ maxBytes }: KnownProvider): number => maxBytes ?? defaultMaxBytes;

/** Passes on what providers send to a worker, which verifies and stores it. */
@Injectable()
export class InboundService {
  private readonly refusals = new LogInterval();
  private readonly failures = new LogInterval();

  constructor(
    private readonly providers: InboundProviders,
    private readonly repository: InboundRepository,
    private readonly queue: QueueClient,
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
    if (request.body.length > maxBytesOf(known)) throw bodyTooLarge(maxBytesOf(known));
    const described = await this.describe(known, request);
    const receipt = await this.pass(described);
    if (!receipt) {
      await this.storeUnverified(known, described);
      return undefined;
    }
    if (receipt.outcome === 'forged') throw this.refuse(known);
    this.count(receipt.outcome === 'answered' ? 'verified' : receipt.outcome, known);
    return receipt.challenge;
  }

  private async describe(
    { headers: names }: KnownProvider,
    { method, path, headers, contentType, body }: ProviderRequest,
  ): Promise<ReceiveInbound> {
    const packed = await packBody(body);
    if (!packed) throw bodyIncompressible(maxCompressedBytes);
    const given = names.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value] as const] : [];
    });
    return {
      method,
      url: `${this.runtime.PUBLIC_URL.replace(/\/$/, '')}${path}`,
      headers: Object.fromEntries(given),
      ...(contentType !== undefined && { content_type: contentType }),
      ...packed,
    };
  }

  /**
   * While no worker answers, requests are not sent: they would collect in the broker.
   * @returns undefined if no worker has answered
   */
  private async pass(request: ReceiveInbound): Promise<InboundReceipt | undefined> {
    if (!this.providers.answers) return undefined;
    try {
      return await firstValueFrom(this.queue.send(receiveInbound, request));
    } catch (err) {
      const requests = this.failures.take('');
      if (requests !== undefined)
        this.logger.warn(
          { err, requests },
          'no worker has answered: requests of providers are stored as unverified',
        );
      return undefined;
    }
  }

  /** A worker verifies the request later. @throws AppError 503 if it needs an answer, or there is no room */
  private async storeUnverified(known: KnownProvider, request: ReceiveInbound): Promise<void> {
    if (request.method === 'HEAD' || (known.hasHandshake && request.method === 'GET')) throw unavailable();
    if (!(await this.repository.storeUnverified(known.name, request))) {
      this.count('limited', known);
      throw unavailable('Too many requests of this provider wait to be verified. Retry shortly.');
    }
    this.count('unverified', known);
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
