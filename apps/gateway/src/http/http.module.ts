import { Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { DtoPipe } from './dto.pipe.js';
import { ErrorFilter } from './error.filter.js';

@Module({
  providers: [
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_PIPE, useClass: DtoPipe },
  ],
})
export class HttpModule {}
