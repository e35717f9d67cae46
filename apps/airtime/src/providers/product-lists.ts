import type { ProviderProduct } from './airtime-provider.js';

/** The list of a provider has some hundred bundles. */
export const listLimits = { maxBytes: 4 * 1_024 * 1_024 };

const maxNameLength = 255;
/** NGN 10,000,000: a higher price is a mistake of the provider. */
const maxKobo = 1_000_000_000n;
const code = /^[\x20-\x7e]{1,128}$/;

type Found = { readonly [Field in keyof ProviderProduct]: ProviderProduct[Field] | undefined };

/** A name in one line, cut to the length of the column. */
const cleanName = (text: string): string =>
  Array.from(text.toWellFormed().replaceAll(/[\s\p{Cc}]+/gu, ' '))
    .slice(0, maxNameLength)
    .join('')
    .trim();

/** Leaves out what cannot be sold: a bundle without a code, a name or a plausible price. */
export const readProducts = (found: readonly Found[]): ProviderProduct[] =>
  found.flatMap(({ code: given = '', name: text = '', kobo = 0n }) => {
    const name = cleanName(text);
    const isPriced = kobo > 0n && kobo <= maxKobo;
    return code.test(given) && name !== '' && isPriced ? [{ code: given, name, kobo }] : [];
  });
