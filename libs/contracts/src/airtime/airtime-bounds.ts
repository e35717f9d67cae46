/** The mobile networks, with the spelling of the API. */
export const networks = ['Airtel', 'MTN', 'Glo', '9mobile', 'NTEL'] as const;

export type Network = (typeof networks)[number];

export const isNetwork = (value: unknown): value is Network => networks.some((network) => network === value);

/** The minimum and maximum amount of one purchase, in naira. */
export interface AmountRange {
  readonly min: number;
  readonly max: number;
}

/** The ranges of the networks, and `any`: the range that covers all of them. */
export type AirtimeBounds = Readonly<Record<Network | 'any', AmountRange>>;

const rangePattern = /^(?:([^=]+)=)?([1-9]\d{0,8})-([1-9]\d{0,8})$/;

/** Reads `1-100000` or `1-100000,MTN=50-50000`; the first range is the default. @throws if the text is malformed */
export function parseAirtimeBounds(text: string): AirtimeBounds {
  const [shared, ...own] = text.split(',').map(parseRange);
  if (!shared || shared.network !== undefined) {
    throw new Error(`"${text}" does not start with a range for all networks`);
  }
  const ranges = new Map<Network, AmountRange>(networks.map((network) => [network, shared.range]));
  for (const { network, range } of own) {
    if (!isNetwork(network)) throw new Error(`"${text}" has a range for an unknown network`);
    ranges.set(network, range);
  }
  const all = [...ranges.values()];
  const any = { min: Math.min(...all.map(({ min }) => min)), max: Math.max(...all.map(({ max }) => max)) };
  return { ...(Object.fromEntries(ranges) as Record<Network, AmountRange>), any };
}

function parseRange(text: string): { network: string | undefined; range: AmountRange } {
  const [, network, min, max] = rangePattern.exec(text.trim()) ?? [];
  const range = { min: Number(min), max: Number(max) };
  if (!(range.min <= range.max)) throw new Error(`"${text}" is not a range of whole naira`);
  return { network, range };
}

export function isAirtimeBounds(text: string): boolean {
  try {
    parseAirtimeBounds(text);
    return true;
  } catch {
    return false;
  }
}
