import type { FieldError } from '@gangan/protocol';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsOptional, IsString } from 'class-validator';
import { isKnownRegion } from '../phone-number.js';
import { parseSettings } from '../validation/parse-settings.js';
import type { Validated } from '../validation/validate.js';

/** Countries (ISO 3166 alpha-2); undefined allows all, and numbers without a country. */
export type AllowedCountries = readonly string[] | undefined;

export const maxCountries = 250;

export const isAllowedCountry = (allowed: AllowedCountries, country: string | undefined): boolean =>
  allowed === undefined || (country !== undefined && allowed.includes(country));

/** What is wrong with the setting `countries`; undefined if it is valid. */
export function countriesFault(countries: readonly string[]): FieldError | undefined {
  const unknown = countries.find((code) => !isKnownRegion(code));
  if (unknown === undefined) return undefined;
  const message = `${unknown} is not a country (ISO 3166 alpha-2)`;
  return { field: 'countries', message, type: 'value_error' };
}

/** Where an organisation may send messages. Quiet hours and other `settings.sms` are read elsewhere. */
export class DestinationSettings {
  /** Messages to all other countries are rejected. */
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(maxCountries)
  @IsString({ each: true })
  countries?: string[];
}

/** Validates the `countries` of `settings.sms`; undefined means none. */
export function parseDestinationSettings(plain: unknown): Validated<DestinationSettings> {
  const { countries } = (plain ?? {}) as { readonly countries?: unknown };
  const given = countries === undefined ? undefined : { countries };
  const type = { key: 'sms', name: 'a setting of messages', dto: DestinationSettings };
  const result = parseSettings(type, given);
  if (!result.ok) return result;
  const fault = countriesFault(result.value.countries ?? []);
  return fault ? { ok: false, errors: [fault] } : result;
}
