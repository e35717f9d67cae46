import {
  addContactColumn,
  AddContactColumnRequest,
  changeContactColumn,
  ChangeContactColumnFields,
  type ContactTable,
  removeContactColumn,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Delete, Param, Patch, Post } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { Scope } from '../http/access.js';
import { Answers } from '../openapi/answers.js';
import { DescribedInContacts } from './chapter.js';

@Controller('lists/contact/columns')
@DescribedInContacts()
export class ContactColumnsController {
  constructor(private readonly queue: QueueClient) {}

  @Post()
  @Scope('contacts:write')
  @Answers(addContactColumn, {
    summary: 'Add a column',
    description: 'Answers with the table. Its cells are empty in all rows. A table has at most 100 columns.',
  })
  add(@Body() request: AddContactColumnRequest): Observable<ContactTable> {
    return this.queue.send(addContactColumn, request);
  }

  @Patch(':column_id')
  @Scope('contacts:write')
  @Answers(changeContactColumn, {
    summary: 'Rename a column',
    description: 'Or give a SELECT column other options. The type of a column cannot be changed.',
  })
  change(
    @Param('column_id') id: string,
    @Body() fields: ChangeContactColumnFields,
  ): Observable<ContactTable> {
    return this.queue.send(changeContactColumn, Object.assign(fields, { id }));
  }

  @Delete(':column_id')
  @Scope('contacts:write')
  @Answers(removeContactColumn, {
    summary: 'Remove a column',
    description:
      'Removes its cells from all rows, for good. A column that a smartlist filters by is kept: 409 tells which.',
    refuses: [409],
  })
  remove(@Param('column_id') id: string): Observable<ContactTable> {
    return this.queue.send(removeContactColumn, { id });
  }
}
