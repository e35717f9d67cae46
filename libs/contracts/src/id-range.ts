import { firstIdAt, maxId } from '@gangan/protocol';
import type { PeriodPageQuery } from './pagination.dto.js';
import { parseTimestamp } from './timestamp.js';

/** The ids that a page of a period is read from. Ids are ordered by time, so a time is an id. */
export interface IdRange {
  readonly from: string;
  /** The first id after the range. */
  readonly before: string;
}

export function idRangeOf({ before = maxId, since = '', until = '' }: PeriodPageQuery): IdRange {
  const end = parseTimestamp(until);
  const [cursor, untilId] = [before.toLowerCase(), end ? firstIdAt(end) : maxId];
  return {
    from: firstIdAt(parseTimestamp(since) ?? new Date(0)),
    before: cursor < untilId ? cursor : untilId,
  };
}
