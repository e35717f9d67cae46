import { redisAvailable } from '../redis/redis.js';
import { type Reader, UsageError } from './options.js';

export const positive: Reader<number> = (text, name) => {
  const value = Number(text);
  if (!(value > 0 && value < Infinity))
    throw new UsageError(`${name} must be a number above 0, not "${text}"`);
  return value;
};

export const wholeFrom =
  (min: number, max = Infinity): Reader<number> =>
  (text, name) => {
    const value = text.trim() === '' ? NaN : Number(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    const range = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new UsageError(`${name} must be whole numbers ${range}, not "${text}"`);
  };

export const whole = wholeFrom(1);

export const listOf =
  <T>(read: Reader<T>): Reader<readonly T[]> =>
  (text, name) =>
    text.split(',').map((part) => read(part, name));

export const oneOf =
  <T extends string>(known: readonly T[]): Reader<T> =>
  (text, name) => {
    const found = known.find((one) => one === text);
    if (found === undefined)
      throw new UsageError(`${name} must be one of ${known.join(', ')}, not "${text}"`);
    return found;
  };

/** Returned in the order of `known`. */
export const someOf =
  <T extends string>(known: readonly T[]): Reader<readonly T[]> =>
  (text, name) => {
    const wanted = listOf(oneOf(known))(text, name);
    return known.filter((one) => wanted.includes(one));
  };

export const brokerKinds = ['postgres', 'redis'] as const;

/** What the queue runs on. */
export type BrokerKind = (typeof brokerKinds)[number];

export const availableBroker: Reader<BrokerKind> = (text, name) => {
  const broker = oneOf(brokerKinds)(text, name);
  if (broker === 'redis' && !redisAvailable) throw new UsageError('redis-server is not on the PATH');
  return broker;
};
