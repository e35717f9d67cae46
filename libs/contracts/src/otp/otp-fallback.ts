import { ArrayMaxSize, IsArray, IsIn, IsOptional, Max, Min } from 'class-validator';
import { channels } from '../delivery/delivery.dto.js';
import { ApiField } from '../schema/api-field.js';
import { OptionalIntegerField } from '../schema/fields.js';
import { combine, rule } from '../validation/fields/decorators.js';

export const defaultOtpMinutes = 15;
export const defaultFallbackSeconds = 30;
const maxFallbacks = 3;

interface Request {
  readonly channel?: unknown;
  readonly expires_in?: unknown;
  readonly fallback_channels?: unknown;
}

/** An OTP with less than this left is not sent: people need time to read and enter it. */
export const minRemainingMs = (lifetimeMs: number): number => Math.min(60_000, lifetimeMs / 2);

/** The default in seconds: 30, or a quarter of a lifetime of less than two minutes. */
export const defaultFallbackAfter = (lifetimeSeconds: number): number =>
  Math.min(defaultFallbackSeconds, Math.floor(lifetimeSeconds / 4));

const IsDistinct = rule(
  'isDistinct',
  (value) => !Array.isArray(value) || new Set(value).size === value.length,
  'must not contain a channel twice',
  { schema: { uniqueItems: true } },
);

const ExcludesChannel = rule(
  'excludesChannel',
  (value, { channel }: Request) => !Array.isArray(value) || !value.includes(channel ?? 'sms'),
  'must not contain the channel of the first message',
);

const NeedsFallback = rule(
  'needsFallback',
  (_, { fallback_channels: fallback }: Request) => Array.isArray(fallback) && fallback.length > 0,
  'is only used with fallback_channels',
);

const IsBeforeExpiry = rule(
  'isBeforeExpiry',
  (value, { expires_in: minutes }: Request) => {
    const lifetimeMs = (typeof minutes === 'number' ? minutes : defaultOtpMinutes) * 60_000;
    return typeof value !== 'number' || value * 1_000 < lifetimeMs - minRemainingMs(lifetimeMs);
  },
  'must end a minute before the OTP expires, or in the first half of a lifetime of less than two minutes',
);

export const FallbackChannelsField = (): PropertyDecorator =>
  combine(
    IsOptional(),
    IsArray(),
    ArrayMaxSize(maxFallbacks),
    IsIn(channels, { each: true }),
    IsDistinct(),
    ExcludesChannel(),
    ApiField(
      'Channels that are tried in this order if a message fails, or is not delivered within `fallback_after`. Each further message is charged. Default: none',
      ['sms'],
    ),
  );

export const FallbackAfterField = (): PropertyDecorator =>
  combine(
    OptionalIntegerField(
      `Seconds after a message without a report of its delivery, until the next channel is tried. Default: ${defaultFallbackSeconds}, or a quarter of a lifetime of less than two minutes`,
      45,
    ),
    Min(5),
    Max(300),
    NeedsFallback(),
    IsBeforeExpiry(),
  );
