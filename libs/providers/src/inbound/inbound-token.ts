import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { isPublicAddress } from '@gangan/contracts';
import { parseUrl } from '@gangan/protocol';
import type { DataSealer, SealedPlace } from '@gangan/sealing';
import type { HttpSettings } from '../http/http-settings.js';
import { findNames } from '../http/request/placeholders.js';
import { placeOfProvider, type SecretOwner } from '../provider-secrets.js';

/** The token in the path for the requests of a provider: 256 random bits. */
export const newInboundToken = (): string => randomBytes(32).toString('base64url');

/** A token that was replaced, and until when requests with it are still accepted. */
export interface FormerToken {
  readonly token: string;
  readonly until: Date;
}

export interface InboundTokens {
  readonly token: string;
  readonly former?: FormerToken;
}

/** A replaced token is sealed together with the current one. */
export const sealTokens = (
  sealer: DataSealer,
  owner: SecretOwner,
  { token, former }: InboundTokens,
): Buffer =>
  sealer.seal([token, ...(former ? [former.token, former.until.getTime()] : [])].join(' '), placeOf(owner));

/** A former token is left out when its time is over. @throws if they cannot be opened */
export function openTokens(
  sealer: DataSealer,
  owner: SecretOwner,
  sealed: Uint8Array,
  now = Date.now(),
): InboundTokens {
  const [token = '', former = '', until = 0] = sealer.open(sealed, placeOf(owner)).split(' ');
  return Number(until) > now
    ? { token, former: { token: former, until: new Date(Number(until)) } }
    : { token };
}

export const inboundPath = (provider: string, token: string): string => `/in/${provider}/${token}`;

/** Where a provider reports about a message: `/` and our reference are appended. */
export interface ReportAddress {
  readonly url: string;
  /** A part of the URL that nobody but the provider may see. */
  readonly token: string;
}

/** Whether the provider gets the address for reports with each message. */
export const usesReportUrl = ({ request }: Partial<HttpSettings>): boolean =>
  findNames(request).includes('report_url');

/** @throws if the provider cannot reach us at `PUBLIC_URL` */
export function reportAddress(
  provider: string,
  { allowPrivate = false }: Partial<HttpSettings>,
  token: string,
  publicUrl: string | undefined,
): ReportAddress {
  if (publicUrl === undefined || (!allowPrivate && !isReachable(publicUrl)))
    throw new Error(
      `its settings use {report_url}, but PUBLIC_URL ${publicUrl === undefined ? 'is not set' : `is ${publicUrl}, which it cannot reach`}: set PUBLIC_URL to the public address of the gateway`,
    );
  return { url: publicUrl.replace(/\/$/, '') + inboundPath(provider, token), token };
}

function isReachable(publicUrl: string): boolean {
  const host = parseUrl(publicUrl)?.hostname.replaceAll(/^\[|\]$/g, '') ?? '';
  return isIP(host) === 0 ? !/^(.*\.)?localhost$/.test(host) : isPublicAddress(host);
}

const placeOf = (owner: SecretOwner): SealedPlace => ({
  column: 'provider.sealed_token',
  ...placeOfProvider(owner),
});
