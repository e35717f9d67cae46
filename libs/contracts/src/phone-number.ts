import examples from 'libphonenumber-js/examples.mobile';
import {
  type CountryCode,
  getCountries,
  getExampleNumber,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';

/**
 * The `max` metadata, deliberately: the smaller builds know only how long numbers may be and a coarse pattern,
 * and what is *valid* decides here between a local number and a foreign one written without its `+`.
 */

export interface ParsedPhone {
  /** As the caller wrote it. */
  readonly given: string;
  /** What is stored and matched: `+2348031234567`. */
  readonly e164: string;
  /** Whether the caller wrote the country's code, with or without `+`. */
  readonly international: boolean;
  /** ISO 3166 alpha-2; absent for numbers that belong to no country, or to a range that nobody was given. */
  readonly country?: string;
  readonly callingCode: string;
  readonly nationalNumber: string;
  /** Whether the range is in use; a fictional number is possible, but not valid. */
  readonly valid: boolean;
}

interface Region {
  readonly country: CountryCode;
  /** How many digits a complete number has, without trunk prefix. */
  readonly fullLength: number;
}

const longestE164 = '+'.length + 15;
/** Digits with the separators people write; anything else (letters, extensions, a second number) is refused. */
const spelling = /^\(?\+?[\d ().\u00a0\u2010-\u2013-]{1,40}$/;

let region = regionOf('NG');

/** Chosen once, when the process starts (`DEFAULT_REGION`). */
export function setDefaultRegion(country: string): void {
  region = regionOf(country);
}

export const isKnownRegion = (country: string): boolean => isSupportedCountry(country);

function regionOf(country: string): Region {
  if (!isSupportedCountry(country)) {
    throw new Error(
      `"${country}" is not a region: use an ISO 3166 alpha-2 code, one of ${getCountries().join(', ')}`,
    );
  }
  return { country, fullLength: getExampleNumber(country, examples)?.nationalNumber.length ?? 0 };
}

/** Understands a number as people write it; `undefined` when it is none. */
export function parsePhone(given: string): ParsedPhone | undefined {
  const text = given.replace(/^ +| +$/g, '');
  if (!spelling.test(text)) return undefined;
  const digits = text.replace(/\D/g, '');
  const dialled = text.includes('+') ? digits : digits.startsWith('00') ? digits.slice(2) : undefined;
  const reading = dialled === undefined ? readBare(digits) : readInternational(dialled);
  if (!reading) return undefined;
  const { number, valid } = reading;
  return {
    given,
    e164: number.number,
    international: dialled !== undefined || number.number === `+${digits}`,
    ...(number.country && { country: number.country }),
    callingCode: number.countryCallingCode,
    nationalNumber: number.nationalNumber,
    valid,
  };
}

interface Reading {
  readonly number: PhoneNumber;
  readonly valid: boolean;
}

function readInternational(digits: string): Reading | undefined {
  const reading = read(`+${digits}`);
  return reading && isConceivable(reading) ? reading : undefined;
}

function readBare(digits: string): Reading | undefined {
  const local = read(digits, region.country);
  if (local?.valid) return local;
  const foreign = read(`+${digits}`);
  if (foreign?.valid) return foreign;
  const complete = local?.number.nationalNumber.length === region.fullLength;
  return complete && isConceivable(local) ? local : undefined;
}

function read(text: string, country?: CountryCode): Reading | undefined {
  const number = parsePhoneNumberFromString(text, country);
  return number && number.number.length <= longestE164 ? { number, valid: number.isValid() } : undefined;
}

/**
 * Where a trunk `0` is dialled inside the country, the library counts one that it could not strip as a digit, so that
 * a number one short looks complete. Elsewhere (Italy, Ivory Coast) a `0` in front is a digit like any other.
 */
const isConceivable = ({ number, valid }: Reading): boolean =>
  valid ||
  (number.isPossible() &&
    !(number.nationalNumber.startsWith('0') && number.getPossibleCountries().some(dialsTrunkZero)));

/** The library does not tell the trunk prefix; but where there is one, it takes it out of a number that is good. */
function dialsTrunkZero(country: CountryCode): boolean {
  const good = getExampleNumber(country, examples);
  return (
    good !== undefined &&
    read(`+${good.countryCallingCode}0${good.nationalNumber}`)?.number.number === good.number
  );
}
