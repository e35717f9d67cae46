import {
  ContactCellsRequest,
  ContactPageQuery,
  type ContactRowAnswer,
  type ContactRowsPage,
  ContactRowsQuery,
  type ContactTable,
  createContactRow,
  findContactRow,
  patchContactRow,
  queryContactRows,
  readContactTable,
  removeContactRow,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { Scope } from '../http/access.js';
import { Answers } from '../openapi/answers.js';
import { DescribedInContacts } from './chapter.js';

@Controller('lists/contact')
@DescribedInContacts()
export class ContactRowsController {
  constructor(private readonly queue: QueueClient) {}

  @Get()
  @Scope('contacts:read')
  @Answers(readContactTable, {
    summary: 'Read the table',
    description:
      'Tells the columns and their ids. The first to ask makes the table, with the columns Name, Email and Mobile.',
  })
  table(): Observable<ContactTable> {
    return this.queue.send(readContactTable, {});
  }

  @Post('rows')
  @Scope('contacts:write')
  @Answers(createContactRow, {
    summary: 'Add a row',
    description:
      'Every cell is held against the type of its column; one that does not fit refuses the whole row.',
  })
  create(@Body() request: ContactCellsRequest): Observable<ContactRowAnswer> {
    return this.queue.send(createContactRow, request);
  }

  @Post('rows/query')
  @Scope('contacts:read')
  @Answers(queryContactRows, {
    summary: 'Find rows',
    description:
      'Gives the rows that match all filters, in the order of their ids, page by page. To read on, ask for the next page with `query_id`: rows that were added meanwhile neither move the pages nor appear in them.',
  })
  query(@Body() rows: ContactRowsQuery, @Query() page: ContactPageQuery): Observable<ContactRowsPage> {
    return this.queue.send(queryContactRows, { rows, page });
  }

  @Patch('rows/:row_id')
  @Scope('contacts:write')
  @Answers(patchContactRow, {
    summary: 'Change a row',
    description:
      'Writes the cells that are given and leaves the others, also those that somebody else writes at the same moment.',
  })
  patch(@Param('row_id') id: string, @Body() { columns }: ContactCellsRequest): Observable<ContactRowAnswer> {
    return this.queue.send(patchContactRow, { id, columns });
  }

  @Delete('rows/:row_id')
  @Scope('contacts:write')
  @Answers(removeContactRow, { summary: 'Delete a row', description: 'Answers with what it was.' })
  remove(@Param('row_id') id: string): Observable<ContactRowAnswer> {
    return this.queue.send(removeContactRow, { id });
  }

  @Get('row/:row_id')
  @Scope('contacts:read')
  @Answers(findContactRow, { summary: 'Read a row', description: 'Gives its cells as they were written.' })
  find(@Param('row_id') id: string): Observable<ContactRowAnswer> {
    return this.queue.send(findContactRow, { id });
  }
}
