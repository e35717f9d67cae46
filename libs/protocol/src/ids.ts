import { uuidv7 } from 'uuidv7';

/** Ids are UUIDv7: they start with the time of creation in milliseconds, so they sort by time. */
export const newId = (): string => uuidv7();

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Check ids from outside before a query: Postgres rejects a malformed uuid with an error. */
export const isId = (text: string): boolean => uuid.test(text);

export const timeOfId = (id: string): Date => new Date(parseInt(id.replace('-', '').slice(0, 12), 16));

/** The smallest id of this moment. */
export function firstIdAt(moment: Date): string {
  const hex = Math.max(0, moment.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}

/** Stands for the organisation of what belongs to none. */
export const nilUuid = '00000000-0000-0000-0000-000000000000';

export const maxId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
