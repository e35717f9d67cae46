import { createHash } from 'node:crypto';
import { type ReceiveInbound, textOfBody, unpackBody } from '@gangan/contracts';
import { isId, isSameSecret, LogInterval } from '@gangan/protocol';
import { challengeOf, findForgery, type InboundContent, type ReceivedRequest } from '@gangan/providers';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { InboundProviders, type KnownProvider, type KnownProviders } from './inbound-providers.js';

/** A request that its provider sent. */
export interface GenuineRequest {
  readonly provider: string;
  readonly method: string;
  readonly contentType: string | null;
  /** Identifies the request: it is the same if the provider sends the request again. */
  readonly digest: Buffer;
  readonly content: InboundContent;
}

export type Verdict =
  | { readonly kind: 'genuine'; readonly request: GenuineRequest }
  /** The first request of a subscription: the challenge to repeat. */
  | { readonly kind: 'challenge'; readonly challenge: string }
  | { readonly kind: 'forged' }
  /** This worker lacks what it needs to verify the request. */
  | { readonly kind: 'unverifiable' };

/** The parts of `/in/{provider}/{token}/{reference}`. */
interface Address {
  readonly provider: string;
  readonly token: string;
  readonly reference: string | undefined;
  readonly query: string;
}

/** The maximum age of the settings of providers, and the one with which a request that seems forged is verified again. */
const maxAgeMs = { first: 1_000, again: 200 };
const maxTypeLength = 200;

/** Decides whether a request was sent by its provider. */
@Injectable()
export class InboundVerifier {
  private readonly refusals = new LogInterval();

  constructor(
    private readonly providers: InboundProviders,
    private readonly logger: AppLogger,
  ) {}

  /** @param arrivedAt the time in ms with which a timestamp in the request is compared */
  async verify(request: ReceiveInbound, arrivedAt: number): Promise<Verdict> {
    const address = addressOf(request.url);
    const body = address && (await bytesOf(request));
    if (!body) return { kind: 'forged' };
    const { method, url, headers, content_type: contentType } = request;
    const received = { method, url, headers, contentType, body, arrivedAt };
    const known = await this.providers.read(maxAgeMs.first);
    const verdict = verdictOf(known, address, received);
    if (verdict.kind === 'genuine' || verdict.kind === 'challenge') return verdict;
    const latest = await this.providers.read(maxAgeMs.again);
    const last = latest === known ? verdict : verdictOf(latest, address, received);
    if (last.kind === 'forged' && last.cause !== undefined) this.logRefusal(address.provider, last.cause);
    return last;
  }

  /** Logs at most once a minute, and only requests with the right token. */
  private logRefusal(provider: string, cause: string): void {
    const requests = this.refusals.take(provider);
    if (requests !== undefined)
      this.logger.warn({ provider, cause, requests }, 'a request of a provider was refused');
  }
}

/** @returns undefined if they cannot be restored */
const bytesOf = (request: ReceiveInbound): Promise<Buffer | undefined> =>
  unpackBody(request).catch(() => undefined);

type ArrivedRequest = ReceivedRequest & { readonly arrivedAt: number };
type Checked = Verdict & { readonly cause?: string };

function verdictOf(providers: KnownProviders, address: Address, request: ArrivedRequest): Checked {
  const { provider: name, token } = address;
  const provider = providers.get(name);
  if (!provider) return { kind: providers.has(name) ? 'unverifiable' : 'forged' };
  if (!isToken(provider, token, request.arrivedAt)) return { kind: 'forged' };
  const { settings, secrets } = provider;
  const challenge = challengeOf(settings, secrets, request);
  if (challenge !== undefined) return { kind: 'challenge', challenge };
  const cause = findForgery(settings, secrets, request);
  return cause === undefined
    ? { kind: 'genuine', request: genuineRequest(request, address) }
    : { kind: 'forged', cause };
}

function isToken({ tokens: { token, former } }: KnownProvider, given: string, arrivedAt: number): boolean {
  const isCurrent = isSameSecret(given, token);
  const isFormer = isSameSecret(given, former?.token ?? token);
  return isCurrent || (isFormer && Number(former?.until ?? 0) > arrivedAt);
}

function genuineRequest(
  { method, contentType: type, body }: ReceivedRequest,
  { provider, token, query, reference }: Address,
): GenuineRequest {
  return {
    provider,
    method,
    contentType: type?.slice(0, maxTypeLength).replaceAll(/[^\x20-\x7e]/g, '') ?? null,
    // Keyed with the token, so that a reader of the database cannot search for numbers or texts.
    digest: createHash('sha256')
      .update([token, method, query, ...(reference === undefined ? [] : [reference]), ''].join('\0'))
      .update(body)
      .digest(),
    content: {
      query,
      ...textOfBody(body),
      ...(reference !== undefined && { reference }),
    },
  };
}

const addressPattern = /^.*\/in\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/;

/** The base of the URL may have a path. @returns undefined if the URL is not the address of a provider */
function addressOf(url: string): Address | undefined {
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  const [, provider = '', token = '', reference] = addressPattern.exec(path) ?? [];
  const isComplete = provider !== '' && token !== '';
  return isComplete && (reference === undefined || isId(reference))
    ? { provider, token, reference, query }
    : undefined;
}
