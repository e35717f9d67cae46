import {
  ContactCellsRequest,
  ContactPageQuery,
  ContactRowQuery,
  countFilterValues,
  createContactRow,
  findContactRow,
  patchContactRow,
  queryContactRows,
  readContactTable,
  removeContactRow,
  SortedContactRowsQuery,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { HasPhones } from '../http/request/has-phones.js';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';

@Controller('lists/contact')
@ApiTag('Contacts', 'The contact table of your organisation: columns, rows, smartlists, imports and exports')
export class ContactRowsController {
  constructor(private readonly queue: QueueClient) {}

  @Get()
  @Scope('contacts:read')
  @ApiOperation(readContactTable, {
    summary: 'Read the table',
    description:
      'Returns the columns and their ids. The first request creates the table, with the columns Name, Email and Mobile.',
  })
  table() {
    return this.queue.send(readContactTable, {});
  }

  @Post('rows')
  @Scope('contacts:write')
  @ApiOperation(createContactRow, {
    summary: 'Add a row',
    description:
      'Every cell is validated against the type of its column. One invalid cell rejects the whole row.',
  })
  create(@Body() { columns }: ContactCellsRequest, @Query() { by }: ContactRowQuery) {
    return this.queue.send(createContactRow, { columns, ...(by && { by }) });
  }

  @Post('rows/query')
  @Scope('contacts:read', { isRead: true })
  @HasPhones(countFilterValues)
  @ApiOperation(queryContactRows, {
    summary: 'Find rows',
    description:
      'Returns the rows that match all filters, sorted by id or by a column, in pages. Request the next page with `query_id`: rows that were added since neither shift the pages nor appear in them.',
  })
  query(@Body() rows: SortedContactRowsQuery, @Query() page: ContactPageQuery) {
    return this.queue.send(queryContactRows, { rows, page });
  }

  @Patch('rows/:row_id')
  @Scope('contacts:write')
  @ApiOperation(patchContactRow, {
    summary: 'Change a row',
    description:
      'Writes the given cells. Other cells keep their values, including those that a concurrent request writes.',
  })
  patch(
    @Param('row_id') id: string,
    @Body() { columns }: ContactCellsRequest,
    @Query() { by }: ContactRowQuery,
  ) {
    return this.queue.send(patchContactRow, { id, columns, ...(by && { by }) });
  }

  @Delete('rows/:row_id')
  @Scope('contacts:write')
  @ApiOperation(removeContactRow, { summary: 'Delete a row', description: 'Returns the deleted row.' })
  remove(@Param('row_id') id: string, @Query() { by }: ContactRowQuery) {
    return this.queue.send(removeContactRow, { id, ...(by && { by }) });
  }

  @Get('row/:row_id')
  @Scope('contacts:read')
  @ApiOperation(findContactRow, {
    summary: 'Read a row',
    description: 'Returns its cells as they were written.',
  })
  find(@Param('row_id') id: string, @Query() { by }: ContactRowQuery) {
    return this.queue.send(findContactRow, { id, ...(by && { by }) });
  }
}
