import {
  maxContactCount,
  maxSmartlistCellLength,
  type OpenedSmartlist,
  openSmartlist,
  type OpenSmartlistRequest,
  type ReadSmartlistRequest,
  type SmartlistRow,
  type SmartlistRows,
} from '@gangan/contracts';
import { type ErrorType, invalidRequest, requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { QueryService } from '../query/query.service.js';
import { queryDeadline, QuerySlots } from '../query/query-slots.js';
import { type Count, isRare } from '../query/row-search.js';
import type { Row } from '../rows/row.js';
import { TablesRepository } from '../tables/tables.repository.js';
import {
  type Audience,
  findPhoneColumn,
  findPlaceholderColumn,
  type NamedColumn,
  parseAudience,
  serializeAudience,
} from './audience.js';
import { AudienceRepository } from './audience.repository.js';

/** The size of one reply in characters; the row that exceeds it is the last. */
const maxCharacters = 250_000;

/** Smartlists as recipients of messages. */
@Injectable()
export class AudienceService {
  constructor(
    private readonly tables: TablesRepository,
    private readonly queries: QueryService,
    private readonly slots: QuerySlots,
    private readonly repository: AudienceRepository,
  ) {}

  async open(request: OpenSmartlistRequest, context: RequestContext): Promise<OpenedSmartlist> {
    const organisationId = requireOrganisationId(context);
    const deadline = queryDeadline(openSmartlist);
    const table = await this.tables.findOrCreate(organisationId);
    const phone = findPhoneColumn(table.columns, request.phone_column);
    const { filters, errors } = await this.queries.resolve(table, { smartlist_id: request.smartlist_id });
    if ('field' in phone || errors.length > 0)
      throw invalidRequest([...errors, ...('field' in phone ? [phone] : [])]);
    const named = request.names.map((name) => ({ name, id: findPlaceholderColumn(table.columns, name)?.id }));
    const columns = named.filter((column): column is NamedColumn => column.id !== undefined);
    const { count, snapshot, measured } = await this.slots.run(organisationId, deadline, () =>
      this.repository.analyse(table.id, filters, columns, maxContactCount),
    );
    checkSize(count, request.any_size);
    const audience = { filters, snapshot, rare: isRare(count, filters), phoneId: phone.id, columns };
    return {
      list: serializeAudience(audience),
      rows: count.total,
      ...(count.bounded && { bounded: true }),
      columns: measured,
      unknown: named.filter(({ id }) => id === undefined).map(({ name }) => name),
    };
  }

  async read({ list, after, limit }: ReadSmartlistRequest, context: RequestContext): Promise<SmartlistRows> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    const audience = parseAudience(list);
    const found = await this.repository.rows(table.id, audience, after, limit);
    const rows: SmartlistRow[] = [];
    let characters = 0;
    for (const row of found) {
      if (characters > maxCharacters) break;
      const formatted = formatSmartlistRow(row, audience);
      rows.push(formatted);
      characters += Object.values(formatted.cells).reduce((sum, cell) => sum + cell.length, 0);
    }
    return { rows, more: found.length === limit || rows.length < found.length };
  }
}

/** @throws AppError 400 */
function checkSize({ total, bounded }: Count, anySize = false): void {
  const reject = (message: string, type: ErrorType): void => {
    throw invalidRequest([{ field: 'smartlist_id', message: `smartlist_id ${message}`, type }]);
  };
  if (total === 0) reject('is a smartlist that no contact matches', 'value_error');
  if (!anySize && (bounded || total > maxContactCount))
    reject(`is a smartlist of more than ${maxContactCount} contacts: send to parts of it`, 'too_long');
}

function formatSmartlistRow({ id, cells }: Row, { phoneId, columns }: Audience): SmartlistRow {
  const phone = cells[phoneId];
  const named = columns.flatMap((column) => {
    const cell = cells[column.id];
    return cell === undefined ? [] : [[column.name, cell.slice(0, maxSmartlistCellLength)] as const];
  });
  return { id, ...(phone !== undefined && { phone }), cells: Object.fromEntries(named) };
}
