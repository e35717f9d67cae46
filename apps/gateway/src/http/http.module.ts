import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR } from '@nestjs/core';
import { ErrorFilter } from './error.filter.js';
import { InputsInterceptor } from './inputs.interceptor.js';
import { SuccessStatusInterceptor } from './success-status.interceptor.js';

@Module({
  providers: [
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_INTERCEPTOR, useClass: InputsInterceptor },
    { provide: APP_INTERCEPTOR, useClass: SuccessStatusInterceptor },
  ],
})
export class HttpModule {}
