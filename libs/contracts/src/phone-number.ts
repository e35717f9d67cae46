import { work } from '@gangan/protocol';
import examples from 'libphonenumber-js/examples.mobile';
// The `max` metadata: the smaller builds check only lengths, and validity decides below between a local number and a
// foreign number without its `+`.
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { trimSpaces } from './text/trim-spaces.js';

export interface ParsedPhone {
  /** The number as the caller wrote it. */
  readonly given: string;
  /** The form that is stored and compared: `+2348031234567`. */
  readonly e164: string;
  /** Whether the caller wrote the country code, with or without `+`. */
  readonly international: boolean;
  /** The country (ISO 3166 alpha-2); absent for numbers without a country and for unassigned ranges. */
  readonly country?: string;
  readonly callingCode: string;
  readonly nationalNumber: string;
  /** Whether the range is in use; a fictional number is possible, but not valid. */
  readonly valid: boolean;
}

/** The length of a phone number as the caller writes it, with separators and spaces. */
export const maxPhoneLength = 64;
const maxE164Length = '+'.length + 15;
/** Digits and common separators. Letters, extensions and a second number are rejected. */
const notation = /^\(?\+?[\d ().\u00a0\u2010-\u2013-]{1,40}$/;

/** Stands for a number that was erased. It sorts after every phone number, which begins with `+`. */
export const erasedNumber = 'erased';

/** The value of `DEFAULT_REGION` if it is not set. */
export const fallbackRegion = 'NG';

export const isKnownRegion = (country: string): boolean => isSupportedCountry(country);

/** The calling code of a country, such as `234` for `NG`; empty for an unknown country. */
export const callingCodeOf = (country: string): string =>
  isSupportedCountry(country) ? getCountryCallingCode(country) : '';

/** Reads a phone number in any common notation. `region` is the country of a number without a country code. */
export function parsePhone(given: string, region = fallbackRegion): ParsedPhone | undefined {
  work.phonesRead += 1;
  if (given.length > maxPhoneLength) return undefined;
  const text = trimSpaces(given);
  if (!notation.test(text)) return undefined;
  const digits = text.replace(/\D/g, '');
  const dialled = text.includes('+') ? digits : digits.startsWith('00') ? digits.slice(2) : undefined;
  const reading = dialled === undefined ? readBare(digits, region) : readInternational(dialled);
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
  return reading && isPlausible(reading) ? reading : undefined;
}

/**
 * A number without `+` or `00`: local if valid, else foreign if valid, else local if it has the trunk `0` and the full
 * length. Without the `0` it may be a number of another country, and the message would be charged.
 */
function readBare(digits: string, region: string): Reading | undefined {
  if (!isSupportedCountry(region)) {
    throw new Error(
      `"${region}" is not a region: use an ISO 3166 alpha-2 code, one of ${getCountries().join(', ')}`,
    );
  }
  const local = read(digits, region);
  if (local?.valid) return local;
  const foreign = read(`+${digits}`);
  if (foreign?.valid) return foreign;
  if (!local || !digits.startsWith('0') || !usesTrunkZero(region)) return undefined;
  const isComplete =
    local.number.nationalNumber.length === getExampleNumber(region, examples)?.nationalNumber.length;
  return isComplete && isPlausible(local) ? local : undefined;
}

function read(text: string, country?: CountryCode): Reading | undefined {
  const number = parse(text, country);
  return number && number.number.length <= maxE164Length ? { number, valid: number.isValid() } : undefined;
}

function parse(text: string, country?: CountryCode): PhoneNumber | undefined {
  work.phonesParsed += 1;
  return parsePhoneNumberFromString(text, country);
}

/**
 * In countries with a trunk `0`, the library counts a `0` that it could not strip as a digit, so a number that is one
 * digit short looks complete. In other countries (Italy, Ivory Coast) a leading `0` is part of the number.
 */
const isPlausible = ({ number, valid }: Reading): boolean =>
  valid ||
  (number.isPossible() &&
    !(number.nationalNumber.startsWith('0') && number.getPossibleCountries().some(usesTrunkZero)));

const trunkZeros = new Map<CountryCode, boolean>();

/** The library does not expose the trunk prefix, but strips it from a valid number. */
function usesTrunkZero(country: CountryCode): boolean {
  const known = trunkZeros.get(country);
  if (known !== undefined) return known;
  const example = getExampleNumber(country, examples);
  const isStripped =
    example !== undefined &&
    read(`+${example.countryCallingCode}0${example.nationalNumber}`)?.number.number === example.number;
  trunkZeros.set(country, isStripped);
  return isStripped;
}

export const numberTypes = [
  ...['mobile', 'fixed_line', 'fixed_line_or_mobile', 'voip', 'personal_number', 'pager'],
  ...['premium_rate', 'shared_cost', 'toll_free', 'uan', 'voicemail', 'unknown'],
] as const;

export type NumberType = (typeof numberTypes)[number];

/** The type of a number in the numbering plan of its country. */
export const getNumberType = (e164: string): NumberType =>
  (parse(e164)?.getType()?.toLowerCase() ?? 'unknown') as NumberType;

/** In plans that do not separate mobile and fixed lines (North America), either type allows a number. */
export const isAllowedNumberType = (allowed: readonly NumberType[], type: NumberType): boolean =>
  allowed.includes(type) ||
  (type === 'fixed_line_or_mobile' && (allowed.includes('mobile') || allowed.includes('fixed_line')));
