import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { DtoPipe } from './dto.pipe.js';
import { ErrorFilter } from './error.filter.js';
import { SuccessStatusInterceptor } from './success-status.interceptor.js';

@Module({
  providers: [
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_PIPE, useClass: DtoPipe },
    { provide: APP_INTERCEPTOR, useClass: SuccessStatusInterceptor },
  ],
})
export class HttpModule {}
